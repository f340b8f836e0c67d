#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog export --format=folded` has the time lost of the report, and each of its lines is well-formed.

. "$(dirname "$0")/cli.inc"

# sum_of FOLDED: the sum of the values. Each line must be frames without control characters and one number.
sum_of() {
	awk '
	$0 !~ /^[^;\001-\037\177]+(;[^;\001-\037\177]+)* [0-9]+$/ { print "line " NR ": " $0; exit }
	{ sum += $NF }
	END { printf "%.0f\n", sum }' "$1"
}

printf 'a;b 1\na;;b 2\n' >"$tmp/bad"
same "a line with an empty frame" "line 2: a;;b 2" "$(sum_of "$tmp/bad" | head -n 1)"

record "$tmp/cause" -- "$O/every-cause" >/dev/null
record "$tmp/bank" --sample=1 -- "$O/bench/bank" --meet=50 --threads=2 --operations=30000 >/dev/null
contended "$tmp/bank"
record "$tmp/sampled" --sample=7 -- "$O/bench/bank" --meet=800 --threads=2 --operations=30000 >/dev/null
contended "$tmp/sampled"
for name in cause bank sampled; do
	"$stmlog" report --json "$tmp/$name" >"$tmp/$name.json"
	run 0 "$stmlog" export --format=folded -o "$tmp/$name.folded" "$tmp/$name"
	silent
	same "ns in the folded stacks of $name" "$(jsonq "$tmp/$name.json" .totals.explained.lost_ns)" "$(sum_of "$tmp/$name.folded")"
done
grep -q '^run_second;read_second;--;write_first;run_first [0-9]*$' "$tmp/cause.folded" ||
	fail "no victim with its culprit: $(cat "$tmp/cause.folded")"
grep -q '^run_second;give_up [0-9]*$' "$tmp/cause.folded" || fail "nobody was to blame: $(cat "$tmp/cause.folded")"
claim "folded stacks have what was lost, and the culprits"
