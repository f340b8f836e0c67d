#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A passive run hooks no entry of libitm, and reads libitm's counters: all of them, however threads end. The counts are
# compared with those of another reader, which shares no code with it.

. "$(dirname "$0")/../helpers/shell.inc"

nm -D --defined-only "$passive_agent" >"$tmp/exported"
grep -q pthread_create "$tmp/exported" || fail "the beginnings of threads are not hooked"
! grep ITM "$tmp/exported" || fail "entries of libitm are hooked"

# run PROGRAM ARGUMENT...: leaves the report, and libitm's own counters
run() {
	COUNTERS_OUT=3 LD_PRELOAD=$PWD/$O/tests/helpers/libcounters.so \
		record "$tmp/data" --passive -- "$@" >"$tmp/out" 3>"$tmp/counters"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	restarts=$(tr ' ' '\n' <"$tmp/counters" | awk -F= '{ sum += $2 } END { printf "%.0f\n", sum }')
}

# agree PROGRAM ARGUMENT...: both readers have the same sum, by reason and over the threads
agree() {
	run "$@"
	same "$*: restarts" "$restarts" "$(jsonq "$tmp/report" .totals.aborts)"
	same "$*: sum over the threads" "$restarts" "$(total "$tmp/report" '.threads[].aborts')"
	for pair in $(cat "$tmp/counters"); do
		same "$*: ${pair%=*}" "${pair#*=}" "$(jsonq "$tmp/report" ".passive.restarts.${pair%=*}")"
	done
	same "$*: said to be exact" true "$(jsonq "$tmp/report" .totals.exact)"
	same "$*: commits are not known" false "$(jsonq "$tmp/report" .totals.commits_known)"
	"$stmlog" check "$tmp/data" >/dev/null || fail "$*: check"
	echo "$*: $restarts restarts"
}

# contend PROGRAM ARGUMENT...: the same for a program in which conflicts are certain (bench/support/meeting.h)
contend() {
	agree "$@"
	[ "$restarts" -ge 50 ] || fail "$*: $restarts restarts, though two threads were to meet 50 times"
}

contend "$O/bench/bank" --meet=50 --seconds=0.3 --threads=2
contend "$O/bench/list" --meet=50 --seconds=0.3 --threads=4 --buckets=8
MEETINGS=50 contend "$O/programs/O2/ends" 4
agree "$O/programs/O2/reader_writer" 4
agree "$O/programs/O2/exceptions" 4

# Threads that are read while they run are counted once.
STMLOG_OPTIONS=snapshot=1
export STMLOG_OPTIONS
contend "$O/bench/bank" --meet=50 --seconds=1.3 --threads=2
unset STMLOG_OPTIONS

# A thousand threads that begin one transaction each: all of them have a record.
agree "$O/programs/O2/short_lived" 20
same "short_lived: threads" 1001 "$(jsonq "$tmp/report" '.threads#')"

# A single thread loses nothing, and the report says so.
agree "$O/programs/O2/counters" 1
same "counters 1: restarts" 0 "$restarts"

# However the process ends, and in each of its images and children.
for case in leave:1 exec:2 fork:1 exit_running:1; do
	rm -f "$tmp"/data*
	record "$tmp/data" --passive -- "$O/programs/O2/${case%:*}" 4 >"$tmp/out" 2>"$tmp/err" ||
		fail "${case%:*}: exit status $?"
	found=$(find "$tmp" -name 'data*' | wc -l)
	[ "$found" -ge "${case#*:}" ] || fail "${case%:*}: $found files"
done

# No transaction, no file; and one clear line.
status=0
"$stmlog" record --passive -o "$tmp/idle" -- "$O/programs/O2/idle" 2 >"$tmp/out" 2>"$tmp/err" || status=$?
same "idle: exit status" 0 "$status"
same "idle: lines on stderr" 1 "$(wc -l <"$tmp/err")"
grep -q 'no transaction began' "$tmp/err" || fail "idle: '$(cat "$tmp/err")'"
[ ! -e "$tmp/idle" ] || fail "idle: it left a file"

# If the counters' place is not known, nothing can be counted, and the program runs all the same.
status=0
STMLOG_OPTIONS=counters=off "$stmlog" record --passive -o "$tmp/unknown" -- "$O/programs/O2/counters" 2 \
	>"$tmp/out" 2>"$tmp/err" || status=$?
same "unknown: exit status" 0 "$status"
same "unknown: stdout" "ok 3000" "$(sed 's/\(.\{7\}\).*/\1/' "$tmp/out")"
same "unknown: lines on stderr" 1 "$(wc -l <"$tmp/err")"
grep -q 'the counters of this libitm (build-id [0-9a-f]*) are not known' "$tmp/err" || fail "unknown: '$(cat "$tmp/err")'"
[ ! -e "$tmp/unknown" ] || fail "unknown: it left a file"

# Processes without libitm are left alone.
LD_PRELOAD=$passive_agent STMLOG_OPTIONS="out=$tmp/none" sh -c 'true | cat' >"$tmp/out" 2>&1
same "sh: output" "" "$(cat "$tmp/out")"
[ ! -e "$tmp/none" ] || fail "sh: it left a file"

# libitm does not count cancels by the program; the comparison takes them from the agent's recording.
LD_PRELOAD=$PWD/$O/tests/helpers/libcounters.so COUNTERS_OUT=3 \
	record "$tmp/with" --sample=8 -- "$O/programs/O2/cancel" 4 >"$tmp/out" 3>"$tmp/counters"
restarts=$(tr ' ' '\n' <"$tmp/counters" | awk -F= '{ sum += $2 } END { printf "%.0f\n", sum }')
record "$tmp/without" --passive -- "$O/programs/O2/cancel" 4 >"$tmp/out"
"$stmlog" report --json "$tmp/with" "$tmp/without" >"$tmp/report"
same "cancel: restarts" "$restarts" "$(jsonq "$tmp/report" .passive.aborts_with_agent)"
