#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A run with the agent and a passive run of the same command make one report. Recordings that do not belong together are
# refused in one line.

. "$(dirname "$0")/cli.inc"

bank="$O/bench/bank --meet=50 --threads=2 --operations=100000"
# shellcheck disable=SC2086
{
	record "$tmp/with" $bank >/dev/null
	record "$tmp/passive" --passive $bank >"$tmp/out"
	record "$tmp/other" --passive $bank --seed=2 >/dev/null
}
grep -q '^checksum ok$' "$tmp/out" || fail "the program's stdout: $(cat "$tmp/out")"

contended "$tmp/passive"
contended "$tmp/with"
run 0 "$stmlog" report "$tmp/passive"
silent
says "passive: no entry of the STM was hooked"
run 0 "$stmlog" info "$tmp/passive"
says "nothing: passive"
run 0 "$stmlog" check "$tmp/passive"
claim "a passive recording says what it is"

run 0 "$stmlog" report "$tmp/with"
cp "$tmp/out" "$tmp/alone"
run 0 "$stmlog" report "$tmp/with" "$tmp/passive"
silent
cp "$tmp/out" "$tmp/beside"
same "lines more" 2 "$(($(wc -l <"$tmp/beside") - $(wc -l <"$tmp/alone")))"
grep -q '^aborts without the agent / with it: [0-9,]* / [0-9,]*' "$tmp/beside" || fail "no comparison: $(cat "$tmp/beside")"
run 0 "$stmlog" report "$tmp/passive" "$tmp/with"
cmp -s "$tmp/out" "$tmp/beside" || fail "the order of the two makes a difference"
claim "beside it the other one is reported, whichever comes first"

run 0 "$stmlog" report --json "$tmp/passive" "$tmp/with"
jsonq "$tmp/out" .passive.aborts >"$tmp/found"
cat "$tmp/out" >"$tmp/json"
run 0 "$stmlog" report --json "$tmp/passive"
same "aborts" "$(jsonq "$tmp/out" .totals.aborts)" "$(cat "$tmp/found")"
same "objects" 1 "$(grep -c '^{"stmlog"' "$tmp/json")"
claim "in JSON too, in one object"

for files in "passive passive:both are passive" "with other:different programs or arguments" \
	"with passive with:name two files" "with with other:name two files"; do
	names=$(printf " $tmp/%s" ${files%%:*})
	# shellcheck disable=SC2086
	run 2 "$stmlog" report $names
	one_line "${files#*:}"
	same "stdout" "" "$(cat "$tmp/out")"
done
head -c 300 "$tmp/with" >"$tmp/cut"
run 2 "$stmlog" report "$tmp/passive" "$tmp/cut"
one_line "$tmp/cut: "
same "stdout" "" "$(cat "$tmp/out")"
run 0 "$stmlog" report "$tmp/with" "$tmp/with" "$tmp/with"
same "reports" 3 "$(grep -c '^stmlog: ' "$tmp/out")"
claim "what cannot be put side by side is one line, and nothing is printed"

for options in --light --sample=4; do
	run 2 "$stmlog" record --passive $options -o "$tmp/none" true
	one_line "--passive measures nothing"
done
claim "what would measure something cannot be asked for"
