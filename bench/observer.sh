#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How much the profiler changes the contention that it looks at. Forms of it take turns around the two bench programs;
# of each are told, as medians over the rounds:
#   aborts/op   aborts by operation done, an operation being one transaction
#   ratio       that, to the passive run of the same round, which hooks nothing of the STM: 1 is no effect;
#               and the lowest and highest of all rounds; "-" where the passive one saw no abort in any
#   speed       operations per second, to the same run
#   cpus        processors that the threads had; where there are fewer than threads they hardly meet, and the
#               figures tell of the machine's other work
# "again" is a second passive run: what of a ratio is noise.
# usage: sh bench/observer.sh [BUILD [ROUNDS [SECONDS]]]      SECONDS of each run

set -eu
O=${1:-build}
rounds=${2:-9}
seconds=${3:-1}
# NAME:OPTIONS:STMLOG_OPTIONS (bench/support/rounds.inc). The first must be what the others are held against.
forms="passive:--passive:
again:--passive:
default:--sample=auto:
exact:--sample=1:
light:--light --sample=1:"
# shellcheck source=bench/support/rounds.inc
. "${0%/*}/support/rounds.inc"

# One row per form; what stands in $figures comes in the order of the forms.
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
