#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program that creates two tasks and joins them calls the hooks for tasks; the command shows both tasks and the waits.

. "$(dirname "$0")/cli.inc"

STMLOG_OPTIONS="timeline=1000,grow:out=$tmp/tasks:report=none" timeout 60 "$O/tests/helpers/tasks" >/dev/null ||
	fail "the program has failed"
run 0 "$stmlog" check "$tmp/tasks"
run 0 "$stmlog" export --format=json "$tmp/tasks"
graph=$(sed -n 's/.*"until_ns".*"children": \(\[[^]]*\]\).*/\1/p' "$tmp/out" | tr -d ' \n')
same "graph" "[2,3][][1][1]" "$graph"
same "regions" 5 "$(grep -c '"relative"' "$tmp/out")"
claim "a join of two is four segments, of which the first leads to the children and these to the last"

run 0 "$stmlog" report "$tmp/tasks"
grep -q '^Tasks  3 in 4 segments: .* of work, longest chain ' "$tmp/out" || fail "no tasks in: $(cat "$tmp/out")"
same "regions of the report" "all fill sum" "$(sed '1,/^Regions/d' "$tmp/out" | awk 'NR > 1 { print $1 }' | sort | tr '\n' ' ' | sed 's/ $//')"
same "work of the sums" "3 400,000" "$(awk '$1 == "sum" { print $2, $3 }' "$tmp/out")"
claim "the report tells of tasks, and of each tag"

record "$tmp/plain" "$O/bench/bank" --threads=2 --operations=300 >/dev/null
run 0 "$stmlog" report "$tmp/plain"
! grep -q '^Tasks\|^Regions' "$tmp/out" || fail "tells of tasks that there are not"
claim "it tells nothing of programs that have none"
