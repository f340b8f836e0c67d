#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog export --format=graph` draws the tasks of a fork-join sort: each of few, and of many several as one.

. "$(dirname "$0")/cli.inc"

# sorted ELEMENTS CUTOFF: the picture $tmp/svg of a sort by two threads, recorded in $tmp/data
sorted() {
	STMLOG_OPTIONS="timeline=2000000,grow:out=$tmp/data:report=none" timeout 60 \
		"$O/tests/helpers/sort_tasks" "$1" "$2" 2 >"$tmp/out" || fail "the sort has failed: $(cat "$tmp/out")"
	run 0 "$stmlog" check "$tmp/data"
	run 0 "$stmlog" export --format=graph -o "$tmp/svg" "$tmp/data"
	silent
	check_xml "$tmp/svg"
}

# boxes ID: the number of boxes of the graph, or of the creations
boxes() {
	grep -c "<rect id='$1[0-9]" "$tmp/svg"
}

# size: of the picture in bytes
size() {
	wc -c <"$tmp/svg"
}

sorted 1000 200
same "heading" "15 tasks in 22 segments" "$(sed -n "s/.*id='sums'[^>]*>\(.* segments\): .*/\1/p" "$tmp/svg")"
[ "$(boxes graph)" -le 22 ] || fail "$(boxes graph) boxes of 22 segments"
same "tasks in the tree of creations" 15 "$(boxes creations)"
for word in sort leaf merge 'paler: slower than the fastest of its region'; do
	grep -q ">$word</text>" "$tmp/svg" || fail "no '$word' in the legend"
done
! grep -q 'href\|<script\|@import' "$tmp/svg" || fail "the picture needs something else"
cp "$tmp/svg" "$tmp/first"
run 0 "$stmlog" export --format=graph -o "$tmp/svg" "$tmp/data"
cmp "$tmp/svg" "$tmp/first" || fail "another picture of the same recording"
claim "rayon-logs, fork-join graph: a sort of 15 tasks is drawn whole, and each time the same; so is the tree of creations"

sorted 100000 200
same "tasks" "1,023 tasks" "$(sed -n "s/.*id='sums'[^>]*>\(.* tasks\) in .*/\1/p" "$tmp/svg")"
[ "$(size)" -lt 2000000 ] || fail "$(size) bytes of picture"
[ "$(boxes graph)" -gt 60 ] || fail "only $(boxes graph) boxes"
claim "rayon-logs, fork-join graph: the picture of a sort of 1,000 tasks is below 2 MB"

sorted 600000 10
same "tasks" "131,071 tasks" "$(sed -n "s/.*id='sums'[^>]*>\(.* tasks\) in .*/\1/p" "$tmp/svg")"
[ "$(size)" -lt 2000000 ] || fail "$(size) bytes of picture"
[ "$(boxes graph)" -le 2000 ] || fail "$(boxes graph) boxes"
claim "a sort of 131,071 tasks is folded to as much as can be seen"

run 2 "$stmlog" export --format=graph --of=time -o "$tmp/none" "$tmp/data"
one_line "--of is not for --format=graph; leave it out"
claim "an option of other formats is refused"

record "$tmp/plain" --timeline "$O/bench/bank" --threads=2 --operations=300 >/dev/null
run 2 "$stmlog" export --format=graph -o "$tmp/none" "$tmp/plain"
one_line "has no tasks; a program tells of its tasks by the functions of stmlog/timeline.h"
[ ! -e "$tmp/none" ] || fail "a picture of nothing"
claim "a recording without tasks is refused in one line"
