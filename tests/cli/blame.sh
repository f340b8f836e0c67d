#!/bin/sh
# SPDX-License-Identifier: MIT
#
# N threads lose to the same write, the i-th of them i milliseconds, at two places in turn. The report blames the right
# place for each loss, with the exact time.

. "$(dirname "$0")/cli.inc"

data=$tmp/data
json=$tmp/json

# among FILE ARRAY FUNCTION PATH: the value at PATH in the element of ARRAY whose local function is FUNCTION
among() {
	at=$(jsonq "$1" "$2[].local.function" | grep -nx "$3" | cut -d : -f 1)
	jsonq "$1" "$2[$((at - 1))]$4"
}

for victims in 1 2 5 12; do
	STMLOG_OPTIONS="out=$data:report=none" "$O/tests/helpers/victims" $victims
	run 0 "$stmlog" check "$data"
	run 0 "$stmlog" report --json "$data"
	silent
	cp "$tmp/out" "$json"
	places=$((victims > 1 ? 2 : 1))
	lost_ns=$((victims * (victims + 1) / 2 * 1000000))
	odd=$(((victims + 1) / 2))
	same "aggressors" 1 "$(jsonq "$json" '.aggressors#')"
	same "the aggressor" write_it "$(jsonq "$json" '.aggressors[0].remote.frames[0].function')"
	same "its victims" $places "$(jsonq "$json" '.aggressors[0].victims')"
	same "their losses" $victims "$(jsonq "$json" '.aggressors[0].count')"
	same "their time" $lost_ns "$(jsonq "$json" '.aggressors[0].lost_ns')"
	same "the longest" $((victims * 1000000)) "$(jsonq "$json" '.aggressors[0].longest_ns')"
	same "pairs" $places "$(jsonq "$json" '.pairs#')"
	same "time of pairs" $lost_ns "$(total "$json" '.pairs[].lost_ns')"
	same "losses at the odd place" $odd "$(among "$json" .pairs lose_at_an_odd_place .count)"
	same "time lost at the odd place" $((odd * odd * 1000000)) "$(among "$json" .pairs lose_at_an_odd_place .lost_ns)"
	same "blamed by the odd place" write_it "$(among "$json" .pairs lose_at_an_odd_place .remote.function)"
	same "for nothing" 0 "$(total "$json" '.pairs[].wasted.count')"
done
claim "N victims of one write count N times, by the place where each lost"

run 0 "$stmlog" report --by=pair "$data"
silent
says " write_it "
[ "$(grep -c "^victims.c:[0-9]* lose_at_an_" "$tmp/out")" = 2 ] || fail "not two pairs: $(cat "$tmp/out")"
grep -q "^victims.c:[0-9]* lose_at_an_even_place .* 42.0 ms *53.8 % *6 " "$tmp/out" || fail "no such pair: $(cat "$tmp/out")"
run 0 "$stmlog" report --by=pair --top=1 --sort=longest "$data"
grep -q "^victims.c:[0-9]* lose_at_an_even_place " "$tmp/out" || fail "the longest is not first: $(cat "$tmp/out")"
says "... 1 more (--top=N)"
claim "the table of pairs says the same"
