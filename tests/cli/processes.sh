#!/bin/sh
# SPDX-License-Identifier: MIT
#
# All processes of a run are one recording and one screen: the workers of a server, what a process becomes by fork and
# exec, and programs side by side. Their sums are those of all threads, to the nanosecond.

. "$(dirname "$0")/cli.inc"

mkdir "$tmp/job"
data=$tmp/job/data
server=$(realpath "$programs/O2/server")
rows="committed_ns aborted_ns paused_ns waiting_ns other_ns outside_ns descheduled_ns blocked_ns"

# exact FILE: it is right, and its processes add up to its totals and its threads. Leaves its report in $tmp/json.
exact() {
	run 0 "$stmlog" check "$1"
	"$stmlog" report --json "$1" >"$tmp/json"
	for member in commits aborts attached_ns $rows; do
		same "$member of $1" "$(total "$tmp/json" ".totals.$member")" "$(total "$tmp/json" ".processes[].$member")"
	done
	same "lost_ns of $1" "$(total "$tmp/json" .totals.lost.lost_ns)" "$(total "$tmp/json" '.processes[].lost_ns')"
	same "attached_ns of $1" "$(total "$tmp/json" '.threads[].attached_ns')" "$(total "$tmp/json" .totals.attached_ns)"
}

# commits COMMITS...: of the processes of the last report, the smallest first
commits() {
	same "commits of the processes" "$*" "$(jsonq "$tmp/json" '.processes[].commits' | sort -n | paste -sd ' ')"
}

# only FILES: these are in the folder of the recording, which is empty then.
only() {
	same "files" "$1" "$(ls "$tmp/job" | paste -sd ' ')"
	rm -rf "$tmp/job"/*
}

COLUMNS=80
export COLUMNS
run 0 "$stmlog" record -o "$data" -- "$server" 2 20
same "what the server prints" "ok 16000" "$(cat "$tmp/out")"
grep -q '^stmlog  server .*   4 processes, 8 threads on ' "$tmp/err" || fail "no four processes: $(cat "$tmp/err")"
[ "$(wc -l <"$tmp/err")" -le 24 ] || fail "more than a screen: $(cat "$tmp/err")"
LC_ALL=C.UTF-8 "$O/tests/helpers/wide_lines" 80 <"$tmp/err" >"$tmp/wide" || fail "wider than 80 columns: $(cat "$tmp/wide")"
unset COLUMNS
exact "$data"
commits 4000 4000 4000 4000
same "threads" "8 8" "$(jsonq "$tmp/json" '.threads#') $(total "$tmp/json" '.processes[].threads')"
same "runs" 1 "$(jsonq "$tmp/json" .runs)"
wall_ns=$(jsonq "$tmp/json" .wall_ns)
for attached_ns in $(jsonq "$tmp/json" '.threads[].attached_ns'); do
	[ "$attached_ns" -le "$wall_ns" ] || fail "a thread was attached for $attached_ns ns of $wall_ns"
done
run 0 "$stmlog" report --by=process "$data"
says "Processes: 4 of 4, the costliest first"
same "rows" 4 "$(grep -c '^ *[0-9][0-9]*  server  *2  *4,000 ' "$tmp/out")"
only data
claim "a pre-forked server is one recording and one screen, and its workers add up to it"

status=0
"$stmlog" record --runs=4 -o "$tmp/runs" --vs "$server" -- "$server" 2 5 >"$tmp/out" 2>"$tmp/err" || status=$?
case $status in 0 | 8) ;; *) fail "exit status $status: $(cat "$tmp/err")" ;; esac
grep -q "Next: stmlog diff .*$tmp/runs/old-" "$tmp/err" || fail "nothing to compare: $(cat "$tmp/err")"
same "files" 8 "$(find "$tmp/runs" -name '[on]*-[1-4].data' | wc -l)"
same "all files" 8 "$(ls -A "$tmp/runs" | wc -l)"
for each in "$tmp/runs"/*.data; do
	exact "$each"
	commits 1000 1000 1000 1000
done
run 0 "$stmlog" merge -o "$tmp/merged" "$tmp/runs"/old-*.data
exact "$tmp/merged"
commits 4000 4000 4000 4000
same "runs" 4 "$(jsonq "$tmp/json" .runs)"
claim "so it is in a series of runs, which can be compared and merged"

# shellcheck disable=SC2016
run 0 "$stmlog" record -o "$data" -- sh -c '"$0" 1 50; "$1" 2; :' "$server" "$(realpath "$programs/O2/counters")"
grep -qx 'server x4, counters' "$tmp/err" || fail "the programs are not named: $(cat "$tmp/err")"
exact "$data"
commits 2000 5000 5000 5000 5000
only data
claim "different programs are beside each other, and named"

run 0 "$stmlog" record --no-report -o "$data" -- "$programs/O2/fork" 2
silent
exact "$data"
commits 301 1202
run 0 "$stmlog" record --no-report -o "$data" -- "$programs/O2/exec" 2
silent
exact "$data"
commits 601 601
same "the command" "$programs/O2/exec 2" "$(jsonq "$tmp/json" '.command[]' | paste -sd ' ')"
only "data data.old"
claim "so are those of fork and exec"

# shellcheck disable=SC2016
run 0 "$stmlog" record --no-report -o "$data" -- sh -c '"$0" 2; "$1"; :' "$(realpath "$programs/O2/counters")" "$O/every-cause"
one_line "another process recorded too: $data."
exact "$data"
commits 2000
rm "$tmp/job"/*
run 0 "$stmlog" record --timeline --no-report -o "$data" -- "$server" 1 5
one_line "3 other processes recorded too: $data."
same "files" 4 "$(ls "$tmp/job" | wc -l)"
claim "a process of another runtime keeps a file of its own, and so does each that has a timeline"
