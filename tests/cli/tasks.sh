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

run 0 "$stmlog" report --full "$tmp/tasks"
grep -q '^Tasks  3 in 4 segments: .* of work, longest chain ' "$tmp/out" || fail "no tasks in: $(cat "$tmp/out")"
same "regions of the report" "all fill sum" "$(sed '1,/^Regions/d' "$tmp/out" | awk 'NR > 1 { print $1 }' | sort | tr '\n' ' ' | sed 's/ $//')"
same "work of the sums" "3 400,000" "$(awk '$1 == "sum" { print $2, $3 }' "$tmp/out")"
claim "the report tells of tasks, and of each tag"

# ---- a tree of futures ----

# futures DEPTH WORKERS: records a tree into $tmp/futures, and its text into $tmp/events. Each future but the root has one
# touch, each leaf one operation; of a tree of depth 6, ten leaves do not wait for theirs.
futures() {
	STMLOG_OPTIONS="timeline=1000000,grow:out=$tmp/futures:report=none" timeout 120 "$O/tests/helpers/futures" "$@" \
		>"$tmp/printed" 2>"$tmp/err" || fail "futures has failed: $(cat "$tmp/err")"
	same "mistakes of futures" "" "$(cat "$tmp/err")"
	run 0 "$stmlog" check "$tmp/futures"
	"$stmlog" export --format=text "$tmp/futures" >"$tmp/events"
	"$stmlog" export --format=json "$tmp/futures" >"$tmp/json"
	same "events that are missing" 0 "$(grep -c ' missing ' "$tmp/events")"
}

count() {
	grep -c "$1" "$tmp/events" || :
}

# handlers: the thread that has handled the operation of each block
handlers() {
	sed -n 's/.*"wait": "blocked".*"handled_by": \([0-9]*\),.*/\1/p' "$tmp/json" >"$tmp/handled"
	awk 'NR == FNR { by[$1]; next } $1 in by { print $3 }' "$tmp/handled" "$tmp/events"
}

futures 6 1
same "futures" "127 futures" "$(cat "$tmp/printed")"
deepest=$(awk '$4 == "touch-pause" { if (++depth > deepest) deepest = depth }
	$4 == "touch-resume" { depth-- } END { print deepest }' "$tmp/events")
[ "$deepest" -ge 6 ] || fail "touches are only $deepest deep"
claim "Racket, pairs nest: a worker that waits works on other futures, whose waits lie within its own"

same "values" 64 "$(count ' block-begin operation .*value=4096 allocate memory')"
same "words of suspensions" 10 "$(count ' task-suspend .* no memory')"
claim "Racket, prim-name and user-data: a block, a suspension have a word and a value"

same "abandoned" 10 "$(count ' block-end abandoned')"
same "with a value" 54 "$(($(count ' block-end') - 10))"
claim "Racket, outcomes: a block ends with a value, or is abandoned"

same "operations" 64 "$(handlers | wc -l)"
same "operations handled by the main thread" 64 "$(handlers | grep -c '^1$')"
claim "Racket, handled by: each blocked operation is linked with the thread that has handled it"

run 0 "$stmlog" report --json "$tmp/futures"
same "waits" "blocked suspended touch" "$(jsonq "$tmp/out" '.tasks.waits[].wait' | sort | tr '\n' ' ' | sed 's/ $//')"
claim "Racket's visualizer, totals by primitive: the report has the waits of tasks by word"

futures 9 3
same "operations" 512 "$(handlers | wc -l)"
claim "several workers and the thread that handles their operations contradict each other nowhere"

# ---- none ----

record "$tmp/plain" "$O/bench/bank" --threads=2 --operations=300 >/dev/null
run 0 "$stmlog" report --full "$tmp/plain"
! grep -q '^Tasks\|^Regions' "$tmp/out" || fail "tells of tasks that there are not"
claim "it tells nothing of programs that have none"
