#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How much programs get done while they are recorded in the default mode: operations per second, as a ratio to the
# program by itself, directly before or after it in turns. Medians over the rounds, with the lowest and the highest ratio:
# of all programs of tests/strangers, with their fault, and of bench/. At the end the geometric mean, and how many
# programs have less than 0.95. Programs in Haskell are left out where there is no GHC.
# usage: sh bench/speed.sh [BUILD [ROUNDS [SECONDS [PROGRAM...]]]]      SECONDS of each run

set -eu
O=${1:-build}
rounds=${2:-9}
seconds=${3:-1}
if [ $# -gt 3 ]; then shift 3; else set --; fi
sources=tests/strangers
# shellcheck source=bench/support/rounds.inc
. "${0%/*}/support/rounds.inc"
tmp=$work
mkdir "$tmp/programs"
# shellcheck source=tests/strangers/compile.inc
. "$sources/compile.inc"

# per_second COMMAND...: operations; of threads without a fault alone, if the program counts those.
per_second() {
	"$@" >"$work/out" || stop "$* has failed"
	tr ' ' '\n' <"$work/out" | awk -F= -v seconds="$seconds" '
		previous == "per_second" { print; found = 1 }
		{ previous = $1; is[$1] = $2 }
		END { if (!found) print (is["done"] > 0 ? is["done"] : is["commits"]) / seconds }'
}

recorded() {
	per_second "$O/stmlog" record -o "$work/data" --no-report -- "$@"
}

# in_turns PROGRAM ARGUMENT...: a line for each round.
in_turns() {
	for round in $(seq "$rounds"); do
		[ $((round % 2)) = 0 ] || before=$(per_second "$@")
		during=$(recorded "$@")
		[ $((round % 2)) = 1 ] || before=$(per_second "$@")
		echo "${1##*/} $before $during"
	done
}

# The programs' names, of both kinds.
all() {
	grep -v '^#' $sources/expected.txt | cut -f 1 | while read -r name; do
		[ ! -f "$sources/$name.hs" ] || command -v ghc >/dev/null || continue
		echo "strangers/$name"
	done
	for program in "$O"/bench/* "$O"/bench/truth/*; do
		[ ! -f "$program" ] || [ ! -x "$program" ] || echo "${program#"$O/"}"
	done
}

# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(all)
for each in "$@"; do
	case $each in
	strangers/*)
		compile "${each#*/}" "${each#*/}"
		in_turns "$tmp/programs/${each#*/}" "$seconds"
		;;
	*) in_turns "$O/$each" --seconds="$seconds" ;;
	esac
done >"$figures"
awk "$median"'
	function summarise() {
		middle = median(ratios, len)
		printf "  %-16s %6.2f %6.2f %6.2f\n", name, middle, ratios[1], ratios[len]
		logs += log(middle)
		programs++
		slow += middle < 0.95
	}
	BEGIN { printf "  %-16s %6s %6s %6s\n", "program", "ratio", "lowest", "highest" }
	$1 != name && len > 0 { summarise() }
	$1 != name { name = $1; len = 0 }
	{ ratios[++len] = $3 / $2 }
	END {
		summarise()
		printf "  geometric mean of %d programs %.3f; %d below 0.95\n", programs, exp(logs / programs), slow
	}' "$figures"
