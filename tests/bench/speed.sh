#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bench/speed.sh prints a row for each program, of tests/strangers or bench/, and ends where one cannot be run. The test
# does not look at how large the ratios are.
#
# Not alone: no time is looked at.

. "$(dirname "$0")/../cli/cli.inc"

make_comma_locale
run 0 env LC_ALL=comma sh bench/speed.sh "$O" 2 0.1 strangers/blocks strangers/arena bench/bank
silent
awk 'NR > 1 && NF == 4 && $2 $3 $4 ~ /^([0-9]+\.[0-9][0-9])+$/ { print $1 }' "$tmp/out" >"$tmp/rows"
printf '%s\n' blocks arena bank >"$tmp/expected"
cmp "$tmp/expected" "$tmp/rows" || fail "other rows: $(cat "$tmp/out")"
grep -q '^  geometric mean of 3 programs [0-9]*\.[0-9]*; [0-3] below 0.95$' "$tmp/out" || fail "no mean: $(cat "$tmp/out")"
claim "each program has a row, with its plugin, and all have a mean"

run 1 sh bench/speed.sh "$O" 1 0.1 bench/bank bench/none
grep -q 'speed.sh: .*none --seconds=0.1 has failed' "$tmp/err" || fail "not said: $(cat "$tmp/err")"
same "stdout" "" "$(cat "$tmp/out")"
claim "a program that cannot be run ends it with a message, and without figures"
