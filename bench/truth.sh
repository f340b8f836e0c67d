#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Whether reports are true. Programs that keep time stamps of their own (bench/support/stamps.h) run under stmlog
# record, and what they have seen is compared with the report of the same run. For each program, and each row of the
# account:
#   truth, report   the row's share of the attached time: medians over the runs
#   ratio           the report's row divided by the truth: the median
#   held            in how many runs the row's interval held the truth
#   width           of the interval, relative to the truth: the median; "none": the report has no interval
#   steady          in how many runs the row's share was within a tenth of its median, or its interval held the median
#   itself          in how many runs the truth itself was within a tenth of its median
# Row "lost" is the headline. Behind the rows are the sites that have lost 1 % of the attached time or more: "aborted in FUNCTION" is the sum of the
# entries with the function in their traceback, with the sums of their lower and higher ends as its interval.
# The program `audit` is in Haskell, and knows the truth of row "aborted" only.
# One table of all programs follows: the worst rows' held and steady (of rows above 5 % of the attached time), the ratio
# of row "aborted", and faults: figures that cannot be, such as a row that exceeds the attached time. Its last two
# columns are of the stamps: operations per second and aborts per operation of the program with stamps, divided by those
# of the program without, both without the agent, by libitm's own counters. A second table has each row over all programs in
# default mode: steady, itself and width (of the interval, relative to the estimate, in the median) where the row is above
# 5 %, and the median of the programs' ratios.
#
# Last come the requirements that are missed; the exit status is 1 if one is missed in default mode: held and steady in
# nine of ten runs (or as steady as the truth itself; where that moved, the report may have moved as far), "aborted"
# within a quarter of the truth where that is 0.1 % of the attached time or more, and no fault.
# usage: sh bench/truth.sh [OPTION]... [BUILD [RUNS [SECONDS]]]      SECONDS of each run
#   --exact            every program with --sample=1, too
#   --programs=LIST    only these, with spaces between their names
#   --format=tsv       the figures of each run instead of tables: bench/truth/run.awk says which
#   --from=FILE        no runs: the tables of figures that --format=tsv has printed

set -eu
modes=default
programs="bank list clusters index queue reservation auction census genes journal packets warehouse"
programs="$programs settlement forecast printer audit"
format=table
from=
while :; do
	case ${1:-} in
	--exact) modes="default exact" ;;
	--programs=*) programs=${1#--programs=} ;;
	--format=table | --format=tsv) format=${1#--format=} ;;
	--from=*) from=${1#--from=} ;;
	-*)
		echo "truth.sh: $1: use --exact, --programs=LIST, --format=table|tsv or --from=FILE" >&2
		exit 2
		;;
	*) break ;;
	esac
	shift
done
O=${1:-build}
rounds=${2:-20}
seconds=${3:-1}
if [ "$programs" != "${programs% audit}" ] && [ -z "$from" ] && [ ! -x "$O/bench/stamped/audit" ]; then
	echo "truth.sh: audit is left out: it is a Haskell program, and there is no ghc, or no package stm" >&2
	programs=${programs% audit}
fi
# shellcheck source=bench/support/rounds.inc
. "${0%/*}/support/rounds.inc"
tools=${0%/*}/truth

# compare PROGRAM MODE RUN: one run of the program with stamps, its truth beside its report.
compare() {
	options=
	[ "$2" = default ] || options=--sample=1
	# shellcheck disable=SC2086
	"$O/stmlog" record -o "$work/data" --no-report $options -- "$O/bench/stamped/$1" --seconds="$seconds" \
		>"$work/out" || stop "$1 has failed"
	"$O/stmlog" report --json "$work/data" >"$work/json" || stop "no report of $1"
	awk -f "$tools/run.awk" -v program="$1" -v mode="$2" -v run="$3" -v json_file="$work/json" "$work/out" "$work/json"
}

# speed_and_aborts PROGRAM: operations per second and aborts per operation.
speed_and_aborts() {
	aborts=$(run_bare "$1" --seconds="$seconds") || exit 1
	awk -v aborts="$aborts" '
		{ is[$1] = $2 }
		END { print is["operations"] / is["seconds"], aborts / is["operations"] }' "$work/out"
}

# weigh_stamps PROGRAM RUN: unless there is no such program without stamps.
weigh_stamps() {
	place=bench
	[ -e "$O/bench/$1" ] || place=bench/truth
	[ -e "$O/$place/$1" ] || return 0
	with=$(speed_and_aborts "$O/bench/stamped/$1")
	without=$(speed_and_aborts "$O/$place/$1")
	echo "$with $without" |
		awk -v program="$1" -v run="$2" '{
			aborts = $4 + 0 == 0 ? "-" : $2 / $4
			printf "stamps\t%s\t%d\t%.4f\t%s\n", program, run, $1 / $3, aborts
		}'
}

# All programs in turns, so that a machine that changes its speed changes it for all of them. The stamps are weighed in
# every fourth round.
measure_truth() {
	for round in $(seq "$rounds"); do
		for program in $programs; do
			for mode in $modes; do
				compare "$program" "$mode" "$round" </dev/null || exit 1
			done
			[ $((round % 4)) != 1 ] || weigh_stamps "$program" "$round" </dev/null || exit 1
		done
	done
}

if [ "$format" = tsv ]; then
	measure_truth
	exit
fi
[ -n "$from" ] || measure_truth >"$figures"
awk "$median$(cat "$tools/table.awk")" "${from:-$figures}"
