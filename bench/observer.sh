#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How much the profiler changes the contention that it measures. Forms of the agent run in turns on the two bench
# programs. Medians over the rounds:
#   aborts/op   aborts per operation; an operation is one transaction
#   ratio       aborts/op divided by aborts/op of the passive run in the same round: 1 is no effect. The passive run
#               hooks nothing of the STM. Also the lowest and the highest ratio of all rounds; "-" if no passive run had
#               an abort
#   speed       operations per second, as a ratio to the passive run
#   cpus        processor time divided by elapsed time. If it is lower than the number of threads, transactions hardly
#               conflict, and the figures depend on other work of the machine
# "again" is a second passive run: its ratio is the noise of the others.
# usage: sh bench/observer.sh [BUILD [ROUNDS [SECONDS]]]      SECONDS of each run

set -eu
O=${1:-build}
rounds=${2:-9}
seconds=${3:-1}
# NAME:OPTIONS:STMLOG_OPTIONS (bench/support/rounds.inc). The others are compared with the first form.
forms="passive:--passive:
again:--passive:
default:--sample=auto:
exact:--sample=1:
light:--light --sample=1:"
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
		speed[$2, $1] = $4 / $5
		processors[$2, $1] = $6 / $5
	}
	END {
		printf "  %-9s %10s %7s %7s %7s %7s %5s\n", "", "aborts/op", "ratio", "lowest", "highest", "speed", "cpus"
		for (f = 1; f <= forms; f++) {
			form = order[f]
			known = 0
			for (r = 1; r <= rounds; r++) {
				if (share["passive", r] > 0)
					ratios[++known] = share[form, r] / share["passive", r]
				shares[r] = share[form, r]
				speeds[r] = speed[form, r] / speed["passive", r]
				cpus[r] = processors[form, r]
			}
			middle = median(ratios, known) # and now they are sorted
			printf "  %-9s %10.4f %7s %7s %7s %7.2f %5.2f\n", form, median(shares, rounds), text_of(middle),
				text_of(ratios[1]), text_of(ratios[known]), median(speeds, rounds), median(cpus, rounds)
		}
	}' "$figures"
}

# compare PROGRAM THREADS
compare() {
	echo "== $1 --threads=$2"
	measure "$O/bench/$1" --threads="$2" --seconds="$seconds"
	summarise
}

compare bank 2
compare list 2
