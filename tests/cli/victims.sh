#!/bin/sh
# SPDX-License-Identifier: MIT
#
# N victims lose to one write. The list of aggressors and the list of pairs show the sum over all N victims. In every
# recording the sums over pairs, aggressors and entries are equal. A program gets the same table of its own timelog.

. "$(dirname "$0")/../helpers/shell.inc"

record "$tmp/data" -- "$O/tests/helpers/victims" 7
"$stmlog" check "$tmp/data" >/dev/null || fail "check"
"$stmlog" report --json "$tmp/data" >"$tmp/json"
same "aggressors" 1 "$(jsonq "$tmp/json" '.aggressors#')"
same "its victims" 7 "$(jsonq "$tmp/json" '.aggressors[0].count')"
same "what it cost them" 28000000 "$(jsonq "$tmp/json" '.aggressors[0].lost_ns')" # 1 + 2 + ... + 7 ms
same "their places" 2 "$(jsonq "$tmp/json" '.aggressors[0].victims')"
same "where it was" write_it "$(jsonq "$tmp/json" '.aggressors[0].remote.frames[0].function')"
pair() {
	echo "$(jsonq "$tmp/json" ".pairs[$1].local.function") $(jsonq "$tmp/json" ".pairs[$1].lost_ns")"
}
same "the costlier pair" "lose_at_an_odd_place 16000000" "$(pair 0)"
same "the other one" "lose_at_an_even_place 12000000" "$(pair 1)"

"$stmlog" report --by=pair "$tmp/data" >"$tmp/text"
grep -q '^victims.c:[0-9]* lose_at_an_odd_place *victims.c:[0-9]* write_it *16.0 ms *57.1 % *4 ' "$tmp/text" ||
	fail "no such pair: $(cat "$tmp/text")"

# Each loss to another transaction is in exactly one pair and belongs to exactly one aggressor.
timeout 60 "$stmlog" record -o "$tmp/all" --no-report -- "$O/every-cause" >/dev/null
"$stmlog" report --json "$tmp/all" >"$tmp/json"
jsonq "$tmp/json" '.entries[].contention' >"$tmp/contention"
jsonq "$tmp/json" '.entries[].lost_ns' >"$tmp/lost"
entries=$(paste -d ' ' "$tmp/contention" "$tmp/lost" | awk '$1 != "none" { sum += $2 } END { printf "%.0f\n", sum }')
same "the sum over pairs" "$entries" "$(total "$tmp/json" '.pairs[].lost_ns')"
same "the sum over aggressors" "$entries" "$(total "$tmp/json" '.aggressors[].lost_ns')"

# The table of one thread's timelog, as the library's users get it, is the report's of the same losses.
record "$tmp/table" -- "$O/tests/helpers/aggressors" >"$tmp/rows"
"$stmlog" report --json --top=100 "$tmp/table" >"$tmp/json"
[ "$(wc -l <"$tmp/rows")" -eq 6 ] || fail "too few rows: $(cat "$tmp/rows")"
for i in 0 1 2 3 4 5; do
	name=$(jsonq "$tmp/json" ".aggressors[$i].remote.frames[0].function" 2>/dev/null) || name='?'
	echo "$name $(for key in victims lost_ns count longest_ns; do jsonq "$tmp/json" ".aggressors[$i].$key"; done | paste -s -d ' ' -)"
done >"$tmp/reported"
same "the table of aggressors" "$(cat "$tmp/reported")" "$(cat "$tmp/rows")"
