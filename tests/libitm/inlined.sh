#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A transaction has the name of the function that it is in, also where that is inlined.

. "$(dirname "$0")/../helpers/shell.inc"

first=$(grep -n 'the first line' tests/programs/inlined.c | cut -d : -f 1)
for level in O0 O2; do
	ITM_DEFAULT_METHOD=ml_wt record "$tmp/data" --sample=1 --paths -- "$O/programs/$level/inlined" >"$tmp/out"
	"$stmlog" export --format=json "$tmp/data" | tr '{' '\n' >"$tmp/frames"
	lines=$(sed -n 's/^"function": *"enter", .*"line": *\([0-9]*\),.*/\1/p' "$tmp/frames" | sort -u)
	[ -n "$lines" ] || fail "$level: no begin in enter(): $(cat "$tmp/frames")"
	for line in $lines; do
		[ "$line" -ge $((first - 2)) ] && [ "$line" -le "$first" ] || fail "$level: begun in line $line, not $first"
	done
done
