#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs each bench program in turns without the profiler, and with the profiler at its default options. For each program,
# medians over the rounds:
#   bare, profiled   operations per second
#   ratio            profiled divided by bare, in the same round
#   aborts           per transaction, as the profiler has counted them
# An operation is one transaction. Where two threads contend, a profiler changes their contention, so that the ratio may
# be above 1. bench/agent.sh has more forms, and the cost of a probe.
# usage: sh bench/suite.sh [BUILD [ROUNDS [PERCENT]]]      PERCENT of the operations

set -eu
O=${1:-build}
rounds=${2:-9}
percent=${3:-100}
# NAME:OPTIONS:STMLOG_OPTIONS (bench/support/rounds.inc)
forms="bare:bare:
profiled::"
# shellcheck source=bench/support/rounds.inc
. "${0%/*}/support/rounds.inc"

# The fields of a line of $figures: round, form, clock, operations, seconds, processor seconds, commits, aborts.

table_head() {
	printf '%-38s %12s %12s %7s %9s\n' "" bare profiled ratio aborts
}

# table_row NAME
table_row() {
	awk -v name="$1" "$median"'
	{ rounds = $1; rate[$2, $1] = $4 / $5 }
	$2 == "profiled" { aborts[$1] = $8 / $4 }
	END {
		for (r = 1; r <= rounds; r++) {
			bare[r] = rate["bare", r]
			profiled[r] = rate["profiled", r]
			ratio[r] = profiled[r] / bare[r]
		}
		printf "%-38s %12.0f %12.0f %7.3f %9.4f\n", name, median(bare, rounds), median(profiled, rounds),
			median(ratio, rounds), median(aborts, rounds)
	}' "$figures"
}

# compare NAME PROGRAM OPERATIONS [OPTION...]: OPERATIONS are those of each of two threads.
compare() {
	name=$1 program=$2 operations=$(($3 * percent / 100))
	shift 3
	measure "$O/bench/$program" --threads=2 --operations="$operations" "$@"
	table_row "$name"
}

table_head
compare "bank of 8" bank 1000000
compare "bank of 1000" bank 1000000 --accounts=1000
compare "list of 128" list 500000
compare "list of 128, 10 % updates" list 500000 --updates=10
compare "hash set of 10000" list 1000000 --size=10000 --buckets=4096
compare "queue of 1024" queue 1000000
compare "queue of 4" queue 1000000 --size=4
compare "index (skip list) of 1024" index 150000
compare "reservation" reservation 60000
compare "reservation, 100 % updates" reservation 60000 --updates=100
compare "clusters" clusters 200000
# These programs embed the library. Their bare form is the build without hooks, PROGRAM-off.
without=-off
compare "smallstm: bank of 8" smallstm/bank 300000
compare "smallstm: bank of 1000" smallstm/bank 300000 --accounts=1000
