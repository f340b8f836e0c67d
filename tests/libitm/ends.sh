#!/bin/sh
# SPDX-License-Identifier: MIT
#
# However a process ends, `stmlog record` ends with the same status, and the recording is complete up to then: after
# exit, _exit and exec; in the child of a fork; while other threads still transact; and if a signal that can be caught
# kills the process.
#
# Not alone: counts and sums are exact, whenever threads meet.

. "$(dirname "$0")/../helpers/shell.inc"

# finish STATUS PROGRAM: runs it with 2 threads
finish() {
	status=0
	rm -f "$tmp"/data*
	record "$tmp/data" --sample=1 -- "$programs/O2/$2" 2 >"$tmp/out" 2>"$tmp/err" || status=$?
	same "$2: exit status" "$1" "$status"
	same "$2: files" 1 "$(find "$tmp" -name 'data*' | wc -l)"
}

# commits: of each process, smallest first
commits() {
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	jsonq "$tmp/report" '.processes[].commits' | sort -n | tr '\n' ' '
}

finish 0 counters
same "counters: commits" "2000 " "$(commits)"

finish 0 leave
same "leave, by _exit: commits" "601 " "$(commits)"

finish 0 exec
same "exec: commits before and after" "601 601 " "$(commits)"

# The parent's 600 before the fork are not the child's.
finish 0 fork
same "fork: commits of child and parent" "301 1202 " "$(commits)"

finish 0 exit_running
[ "$(commits | tr -d ' ')" -ge 601 ] || fail "exit_running: $(commits) commits"

finish 143 killed
same "killed: commits" "601 " "$(commits)"

# The status is the program's; for a file that is no program it is the one that a shell would give.
for status_wanted in 0 1 77 255; do
	status=0
	record "$tmp/none" -- sh -c "exit $status_wanted" 2>/dev/null || status=$?
	same "sh: exit status" "$status_wanted" "$status"
done
status=0
record "$tmp/none" -- "$tmp/no such program" 2>"$tmp/err" || status=$?
same "no program: exit status" 127 "$status"
same "no program: lines on stderr" 1 "$(wc -l <"$tmp/err")"

# no_clock STATUS SCENE COMMITS OPTION: what follows the call that forbids the clock is counted, and the report says so
no_clock() {
	status=0
	rm -f "$tmp"/data*
	record "$tmp/data" "$4" -- "$programs/O2/scenes_filter" "$2" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ $status -ne 77 ] || return 0
	same "$2: exit status" "$1" "$status"
	same "$2: commits" "$3 " "$(commits)"
	"$stmlog" report "$tmp/data" >"$tmp/report"
	grep -q '^1 thread may not read the clock' "$tmp/report" || fail "$2: $(cat "$tmp/report")"
}

# The scenes that do not end by a raw system call read their total in a transaction.
for option in --sample=1 --sample=auto --sample=1000; do
	no_clock 0 no-clock 200011 $option
	no_clock 0 no-clock-from-the-start 1001 $option
	no_clock 5 no-clock-strict 200010 $option
done
