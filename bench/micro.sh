#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the pieces of stmlog cost on this machine: micro-benchmarks, each of which compares
# two things in slices of one run. Whole programs are bench/agent.sh's.
# usage: sh bench/micro.sh [BUILD]

set -eu
O=${1:-build}
unset STMLOG_OPTIONS LD_PRELOAD

for program in "$O"/bench/micro/*; do
	[ "${program##*/}" != clock ] || continue
	echo "== ${program##*/}"
	"$program"
done
echo "== event, clock=tsc"
STMLOG_OPTIONS=clock=tsc "$O/bench/micro/event"
echo "== event, LTTng-UST"
sh bench/lttng.sh "$O"
