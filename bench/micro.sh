#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What stmlog costs on this machine. First the micro-benchmarks, each of which compares
# two things in slices of one run. Then whole programs with and without the profiler:
# fixed work, the forms taking turns within each round, and the median over the rounds of
# the ratio to the bare program of the same round, since a machine's speed changes between
# rounds. The time is processor time of all threads per operation, which other processes
# change little; "clocks" is what was added, in readings of CLOCK_MONOTONIC of that round.
#
# Two threads change their contention under a profiler, and with it the work they do: there
# the ratio tells what the user sees, not what a probe costs.
# usage: sh bench/micro.sh [BUILD_DIRECTORY [ROUNDS]]

set -eu
O=${1:-build}
rounds=${2:-9}
# Each form is a name, a colon, the agent, a colon, STMLOG_OPTIONS.
forms="none::
exact:libstmlog-itm.so:sample=1
exact,tsc:libstmlog-itm.so:sample=1:clock=tsc
sampled:libstmlog-itm.so:sample=16
light:libstmlog-itm-light.so:sample=1
light,tsc:libstmlog-itm-light.so:sample=1:clock=tsc
light,sampled:libstmlog-itm-light.so:sample=16"
figures=$(mktemp)
trap 'rm -f "$figures"' EXIT
trap 'exit 130' INT TERM
unset STMLOG_OPTIONS LD_PRELOAD ITM_DEFAULT_METHOD

run_micro() {
	for program in "$O"/bench/micro/*; do
		[ "${program##*/}" != clock ] || continue
		echo "== ${program##*/}"
		"$program"
	done
	echo "== event, clock=tsc"
	STMLOG_OPTIONS=clock=tsc "$O/bench/micro/event"
}

# nanoseconds_per_operation AGENT OPTIONS PROGRAM ARGUMENT...
nanoseconds_per_operation() {
	preload=${1:+$O/$1} options=$2
	shift 2
	env ${preload:+LD_PRELOAD=$preload} "STMLOG_OPTIONS=report=none:$options" "$@" |
		awk '$1 == "operations" { operations = $2 } $1 == "cpu_seconds" { seconds = $2 }
			END { printf "%.3f\n", seconds * 1e9 / operations }'
}

# One line per run: name of the form, ns per operation, ns of a clock reading.
measure() {
	for round in $(seq "$rounds"); do
		clock=$("$O/bench/micro/clock")
		echo "$forms" | while IFS=: read -r form agent options; do
			echo "$round $form $(nanoseconds_per_operation "$agent" "$options" "$@") $clock"
		done
	done
}

# Per form: median ns, median ratio, median of what was added in clock readings.
summarise() {
	awk '
	function median(list, len,   i, j, held) {
		for (i = 2; i <= len; i++) {
			held = list[i]
			for (j = i - 1; j >= 1 && list[j] > held; j--)
				list[j + 1] = list[j]
			list[j + 1] = held
		}
		return len % 2 ? list[(len + 1) / 2] : (list[len / 2] + list[len / 2 + 1]) / 2
	}
	$2 == "none" { bare[$1] = $3 }
	!($2 in seen) { seen[$2] = 1; order[++forms] = $2 }
	{ ns[$2, $1] = $3; clock[$1] = $4; rounds = $1 }
	END {
		printf "  %-14s %9s %7s %7s\n", "", "ns/op", "ratio", "clocks"
		for (f = 1; f <= forms; f++) {
			for (r = 1; r <= rounds; r++) {
				cost[r] = ns[order[f], r]
				ratio[r] = cost[r] / bare[r]
				added[r] = (cost[r] - bare[r]) / clock[r]
			}
			printf "  %-14s %9.1f %7.3f %7.2f\n", order[f], median(cost, rounds), median(ratio, rounds), median(added, rounds)
		}
	}' "$figures"
}

compare() {
	echo "== $*"
	program=$1
	shift
	measure "$O/bench/$program" "$@" >"$figures"
	summarise
}

run_micro
compare bank --threads=1 --operations=300000
compare bank --threads=2 --operations=150000
compare list --threads=1 --operations=200000
compare list --threads=2 --operations=150000
