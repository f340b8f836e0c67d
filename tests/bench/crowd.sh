#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bench/crowd.sh prints a row of ratios for each program and number of threads. The test does not look at times.
#
# Not alone: no time is looked at.

. "$(dirname "$0")/../cli/cli.inc"

run 0 sh bench/crowd.sh "$O" 1 1
silent
awk 'NR > 1 && NF == 5 && $3 > 0 && $4 <= $3 && $3 <= $5 { printf " %s%s", $1, $2 }' "$tmp/out" >"$tmp/rows"
rows=
for program in bank reservation index truth/warehouse; do
	for threads in 16 64 256; do
		rows="$rows $program,$threads"
	done
done
same "the rows" "$rows" "$(cat "$tmp/rows")"
claim "it has a row of ratios for each program and number of threads"
