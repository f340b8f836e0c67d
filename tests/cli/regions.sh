#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Two versions of a sort by fork and join, with and without a sequential cutoff: `stmlog diff` distinguishes them by region.
#
# Alone: it compares times.

. "$(dirname "$0")/cli.inc"

# sort_by NAME CUTOFF: records a sort into $tmp/NAME
sort_by() {
	"$stmlog" record --no-report --timeline=unbounded -o "$tmp/$1" -- "$O/tests/helpers/sort_tasks" 30000 "$2" 2 >/dev/null ||
		fail "sort_tasks has failed"
}

# Without a cutoff there is a task for each element, which costs many times what it takes to sort the element.
for i in 1 2 3 4 5 6 7 8 9 10; do
	sort_by "with.$i" 1000
	sort_by "without.$i" 1
done
same "missing events" 0 "$("$stmlog" info "$tmp/without.1" | grep -c '^events missing')"
run 1 "$stmlog" diff "$tmp"/with.* -- "$tmp"/without.*
grep -q '^regression: region sort, work per second: ' "$tmp/out" || fail "no regression: $(cat "$tmp/out")"
claim "rayon-logs, algorithms compared: a sort without a sequential cutoff is slower by region, which is status 1"

for format in text json markdown; do
	run 1 "$stmlog" diff --strict --format=$format "$tmp"/with.* -- "$tmp"/without.*
	silent
	cp "$tmp/out" "$tmp/worse.$format"
	run 0 "$stmlog" diff --strict --format=$format "$tmp"/with.* -- "$tmp"/with.*
	cp "$tmp/out" "$tmp/even.$format"
done
[ "$(awk 'length > 80' "$tmp"/*.text | wc -l)" = 0 ] || fail "a line is longer than 80: $(awk 'length > 80' "$tmp"/*.text)"
same "slower regions in JSON" sort "$(jsonq "$tmp/worse.json" '.regions[].tag' | head -n 1)"
same "verdict in JSON" worse "$(jsonq "$tmp/worse.json" '.regions[].verdict' | head -n 1)"
same "verdicts of a side and itself" unclear "$(jsonq "$tmp/even.json" '.regions[].verdict' | sort -u)"
grep -q '^| <code>sort</code>.*\*\*WORSE\*\*' "$tmp/worse.markdown" || fail "no row: $(cat "$tmp/worse.markdown")"
claim "each format has the regions, and the exit status of the text"

run 0 "$stmlog" diff "$tmp/with.1" "$tmp/without.1"
says "cannot decide: fewer than 4 runs on a side can never reach alpha 0.05; 10 a"
same "regressions" 0 "$(grep -c '^regression' "$tmp/out")"
run 3 "$stmlog" diff --strict "$tmp/with.1" "$tmp/without.1"
claim "one run a side decides nothing, and the figures of regions are shown"
