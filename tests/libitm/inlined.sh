#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A transaction has the name of the function that it is in, also where that is inlined, and behind an inlined one.

. "$(dirname "$0")/../helpers/shell.inc"

line_of() {
	grep -n "$1" tests/programs/inlined.c | cut -d : -f 1
}

# lines FUNCTION: at which transactions begin in it.
lines() {
	sed -n 's/^"function": *"'"$1"'", .*"line": *\([0-9]*\),.*/\1/p' "$tmp/frames" | sort -u
}

first=$(line_of 'the first line') second=$(line_of 'the line of draw')
for level in O0 O2; do
	ITM_DEFAULT_METHOD=ml_wt record "$tmp/data" --sample=1 --paths -- "$O/programs/$level/inlined" >"$tmp/out"
	"$stmlog" export --format=json "$tmp/data" | tr '{' '\n' >"$tmp/frames"
	[ -n "$(lines enter)" ] || fail "$level: no begin in enter(): $(cat "$tmp/frames")"
	for line in $(lines enter); do
		[ "$line" -ge $((first - 2)) ] && [ "$line" -le "$first" ] || fail "$level: begun in line $line, not $first"
	done
	! grep '"function": *"choose"' "$tmp/frames" || fail "$level: choose() has no transaction"
	lines draw | grep -qx "$second" || fail "$level: draw() begins in line $(lines draw), not $second"
done
