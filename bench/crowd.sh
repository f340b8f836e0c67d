#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Whether programs with many more threads than processors do their work while they are recorded: operations per second in
# the default mode, as a ratio to the program by itself in the same round. Medians over the rounds, with the lowest and
# the highest ratio. The threads of a program with many share its operations, so that each run does the same work.
# usage: sh bench/crowd.sh [BUILD [ROUNDS [PERCENT]]]      PERCENT of the operations

set -eu
O=${1:-build}
rounds=${2:-15}
percent=${3:-100}
forms="bare:bare:
default:--sample=auto:"
# shellcheck source=bench/support/rounds.inc
. "${0%/*}/support/rounds.inc"

summarise() {
	awk "$median"'
	{ speed[$2, $1] = $4 / $5 }
	END {
		for (r = 1; r <= NR / 2; r++)
			ratios[r] = speed["default", r] / speed["bare", r]
		middle = median(ratios, NR / 2) # and now they are sorted
		printf "  %-24s %7.2f %7.2f %7.2f\n", name, middle, ratios[1], ratios[NR / 2]
	}' name="$1" "$figures"
}

# compare PROGRAM OPERATIONS OPTION...: OPERATIONS are those of all threads.
compare() {
	program=$1 all=$2
	shift 2
	for threads in 16 64 256; do
		measure "$O/bench/$program" --threads="$threads" --operations="$((all * percent / 100 / threads))" "$@"
		summarise "$program, $threads"
	done
}

printf '  %-24s %7s %7s %7s\n' 'program, threads' ratio lowest highest
compare bank 1000000
compare reservation 240000
compare index 600000
compare truth/warehouse 40000
