#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The cost of single operations of stmlog on this machine. Each micro-benchmark compares two operations in alternating
# slices of one run. bench/agent.sh is for whole programs.
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
echo "== lazystm, clock=tsc"
STMLOG_OPTIONS=clock=tsc "$O/bench/micro/lazystm"
echo "== event, LTTng-UST"
sh bench/lttng.sh "$O"
echo "== event, LTTng-UST, clock=tsc"
STMLOG_OPTIONS=clock=tsc sh bench/lttng.sh "$O"
