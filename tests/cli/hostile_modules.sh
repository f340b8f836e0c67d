#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The files that a recording names may have been damaged, or made to do harm: a report then lacks names, and neither
# crashes nor goes on for ever.
# usage: sh tests/cli/hostile_modules.sh [ROUNDS [FIRST]]

. "$(dirname "$0")/cli.inc"

rounds=${1:-60}
first=${2:-1}
cp "$programs/O2/templates" "$tmp/original"
cp "$tmp/original" "$tmp/program"
record "$tmp/data" --sample=1 "$tmp/program" 2 >"$tmp/out"
run 0 "$stmlog" report --full "$tmp/data"
grep -q "templates.cc:" "$tmp/out" || fail "the undamaged program gives no lines"

named=0
round=$first
while [ "$round" -lt $((first + rounds)) ]; do
	rm -f "$tmp/program" # a file that is executed cannot be written
	"$O/tests/helpers/damage" "$tmp/original" "$tmp/program" "$round"
	status=0
	(ulimit -v 2000000 && timeout -k 1 60 "$stmlog" report --full "$tmp/data") >"$tmp/out" 2>"$tmp/err" || status=$?
	same "exit status for seed $round ($(tail -n 1 "$tmp/err"))" 0 "$status"
	! grep -q "templates.cc:" "$tmp/out" || named=$((named + 1))
	round=$((round + 1))
done
# Otherwise the damage would have kept everybody from reading further than the first header.
[ $named -gt 0 ] || fail "no report of $rounds had a line"
echo "$named of $rounds reports still had lines"
claim "a damaged program and its debug information cost names only"
