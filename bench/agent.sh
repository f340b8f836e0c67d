#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How much processor time the libitm agent costs whole programs, and how it changes their aborts. For each program and
# each form of the agent, medians over the rounds:
#   ns/op      processor time of all threads per operation, which other processes change little
#   cpu, wall  processor time and elapsed time, as ratios to the program without the agent in the same round
#   clocks     what the agent added to ns/op, in readings of CLOCK_MONOTONIC of the same round
#   cores      processor time divided by elapsed time. If it differs between forms, the threads conflicted more or less
#              often because something else ran on this machine, and their aborts must not be compared
#   commits, aborts, aborts/op
#              as recorded, and without the agent aborts by libitm's own counters; "-" if they are not known; an operation
#              is one transaction
# The last three programs work microseconds in each transaction, bank and list hundreds of nanoseconds.
#
# With two threads a profiler changes the contention, and so the work that the threads do: there the ratio is what a
# user sees, not the cost of a probe.
# usage: sh bench/agent.sh [BUILD [ROUNDS [PERCENT]]]      PERCENT of the operations

set -eu
O=${1:-build}
rounds=${2:-9}
percent=${3:-100}
# NAME:OPTIONS:STMLOG_OPTIONS (bench/support/rounds.inc). The first form must be the program without the agent.
forms="bare:bare:
auto:--sample=auto:
exact:--sample=1:
sampled:--sample=16:"
# shellcheck source=bench/support/rounds.inc
. "${0%/*}/support/rounds.inc"

# One row per form. $figures has the forms in their order.
summarise() {
	awk "$median"'
	function median_of(figure, form,   r, list) {
		for (r = 1; r <= rounds; r++)
			list[r] = figure[form, r]
		return median(list, rounds)
	}
	function known(count) { return count ? sprintf("%d", count) : "-" }
	{
		if ($1 == 1)
			order[++forms] = $2
		rounds = $1
		ns[$2, $1] = $6 * 1e9 / $4
		seconds[$2, $1] = $5
		cpu_ratio[$2, $1] = ns[$2, $1] / ns["bare", $1]
		wall_ratio[$2, $1] = seconds[$2, $1] / seconds["bare", $1]
		clocks[$2, $1] = (ns[$2, $1] - ns["bare", $1]) / $3
		cores[$2, $1] = $6 / $5
		is_counted[$2] = $8 != "-"
		commits[$2, $1] = $7 + 0
		aborts[$2, $1] = $8
		share[$2, $1] = $8 / $4
	}
	END {
		printf "  %-14s %9s %7s %7s %7s %6s %9s %9s %9s\n", "", "ns/op", "cpu", "wall", "clocks", "cores",
			"commits", "aborts", "aborts/op"
		for (f = 1; f <= forms; f++) {
			form = order[f]
			printf "  %-14s %9.1f %7.3f %7.3f %7.2f %6.2f", form, median_of(ns, form), median_of(cpu_ratio, form),
				median_of(wall_ratio, form), median_of(clocks, form), median_of(cores, form)
			if (is_counted[form])
				printf " %9s %9d %9.4f\n", known(median_of(commits, form)), median_of(aborts, form),
					median_of(share, form)
			else
				printf " %9s %9s %9s\n", "-", "-", "-"
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

compare bank 1 300000
compare list 1 200000
compare bank 2 150000
compare list 2 150000
compare reservation 2 60000
compare index 2 150000
compare clusters 2 200000
