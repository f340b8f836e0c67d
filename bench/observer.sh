#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How much the profiler changes the program that it measures: its time, and its contention. Forms of the agent run in
# turns on the bench programs, with the same work. Medians over the rounds:
#   time        elapsed time, as a ratio to the program without the agent in the same round
#   aborts/op   aborts per operation; an operation is one transaction
#   ratio       aborts/op divided by aborts/op of the program without the agent in the same round, by libitm's own
#               counters: 1 is no effect. Also the lowest and the highest ratio of all rounds; "-" if no such run had an
#               abort
#   cpus        processor time divided by elapsed time. If it is lower than the number of threads, transactions hardly
#               conflict, and the figures depend on other work of the machine
# "again" is a second run without the agent: its ratio is the noise of the others.
# usage: sh bench/observer.sh [BUILD [ROUNDS [PERCENT]]]      PERCENT of the operations

set -eu
O=${1:-build}
rounds=${2:-9}
percent=${3:-100}
# NAME:OPTIONS:STMLOG_OPTIONS (bench/support/rounds.inc). All are compared with the first form.
forms="bare:bare:
again:bare:
default:--sample=auto:
exact:--sample=1:
timeline:--timeline --sample=1:"
# shellcheck source=bench/support/rounds.inc
. "${0%/*}/support/rounds.inc"

# One row per form. $figures has the forms in their order.
summarise() {
	awk "$median"'
	function text_of(ratio) { return known ? sprintf("%.2f", ratio) : "-" }
	{
		if ($1 == 1)
			order[++forms] = $2
		rounds = $1
		share[$2, $1] = $8 / $4
		time[$2, $1] = $5 / $4
		processors[$2, $1] = $6 / $5
	}
	END {
		printf "  %-9s %7s %10s %7s %7s %7s %5s\n", "", "time", "aborts/op", "ratio", "lowest", "highest", "cpus"
		for (f = 1; f <= forms; f++) {
			form = order[f]
			known = 0
			for (r = 1; r <= rounds; r++) {
				if (share["bare", r] > 0)
					ratios[++known] = share[form, r] / share["bare", r]
				shares[r] = share[form, r]
				times[r] = time[form, r] / time["bare", r]
				cpus[r] = processors[form, r]
			}
			middle = median(ratios, known) # and now they are sorted
			printf "  %-9s %7.3f %10.4f %7s %7s %7s %5.2f\n", form, median(times, rounds), median(shares, rounds),
				text_of(middle), text_of(ratios[1]), text_of(ratios[known]), median(cpus, rounds)
		}
	}' "$figures"
}

# compare PROGRAM THREADS OPERATIONS: OPERATIONS are those of each thread.
compare() {
	operations=$(($3 * percent / 100))
	echo "== $1 --threads=$2 --operations=$operations"
	measure "$O/bench/$1" --threads="$2" --operations="$operations"
	summarise
}

compare bank 2 600000
compare list 2 400000
compare reservation 2 120000
compare index 2 300000
compare clusters 2 400000
compare bank 1 600000
compare list 1 400000
