#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the libitm agent adds to one short transaction of a thread that is alone (bench/tiny/tiny.c). On a busy machine the
# fastest slices of a loop mostly repeat to a nanosecond, where bench/agent.sh needs a quiet one. If `two_clocks` differs
# from run to run, no slice was undisturbed. For each form of the agent:
#   ns         a transaction with its loop, the fastest of all rounds
#   added      without that of the program by itself
#   clocks     added, in readings of CLOCK_MONOTONIC
#   quotient   ns by that of the program by itself
# Most slices of the default form lie in off phases, in which nothing is sampled.
#
# Then, if there is valgrind, the instructions of one transaction by what they are for: the difference between a run and
# one of twice the length. Valgrind makes a system call of each reading of the clock.
# usage: sh bench/tiny.sh [BUILD [ROUNDS [SLICES]]]

set -eu
O=${1:-build}
rounds=${2:-7}
slices=${3:-2000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
unset STMLOG_OPTIONS LD_PRELOAD
export LC_ALL=C # awk reads and prints decimals as the locale has them
export ITM_DEFAULT_METHOD="${ITM_DEFAULT_METHOD:-ml_wt}"
tiny=$O/bench/tiny/tiny

# NAME:OPTIONS:STMLOG_OPTIONS, as in bench/agent.sh.
forms="default:--sample=auto:
exact:--sample=1:
exact,tsc:--sample=1:clock=tsc"

# recorded OPTIONS STMLOG_OPTIONS COMMAND...
recorded() {
	options=$1 environment=$2
	shift 2
	# shellcheck disable=SC2086
	env ${environment:+STMLOG_OPTIONS=$environment} "$O/stmlog" record -o "$work/data" --no-report $options -- "$@"
}

# Where the TSC cannot be the clock, the library says why.
why=$(recorded "" clock=tsc "$tiny" 1 2>&1 >"$work/out")
[ -z "$why" ] || forms=$(echo "$forms" | grep -v clock=tsc)

for round in $(seq "$rounds"); do
	echo "clock $("$O/bench/micro/clock")"
	echo "bare $("$tiny" "$slices")"
	echo "two_clocks $("$tiny" "$slices" clocks)"
	echo "$forms" | while IFS=: read -r form options environment; do
		echo "$form $(recorded "$options" "$environment" "$tiny" "$slices" </dev/null)"
	done
done >"$work/figures"
awk '
	!($1 in least) { order[++len] = $1 }
	!($1 in least) || $2 < least[$1] { least[$1] = $2 }
	END {
		printf "== one short transaction, one thread; clock %.1f ns\n", least["clock"]
		printf "  %-14s %9s %7s %7s %8s\n", "", "ns", "added", "clocks", "quotient"
		for (i = 2; i <= len; i++) {
			added = least[order[i]] - least["bare"]
			printf "  %-14s %9.1f %7.1f %7.2f %8.2f\n", order[i], least[order[i]], added,
				added / least["clock"], least[order[i]] / least["bare"]
		}
	}' "$work/figures"
[ -z "$why" ] || echo "  exact,tsc      left out: $why"

command -v callgrind_annotate >/dev/null || exit 0

# steps OPTIONS SLICES: instructions by function, "COUNT FILE:FUNCTION [OBJECT]"
steps() {
	rm -f "$work"/steps.*
	options=$1
	set -- valgrind -q --tool=callgrind --callgrind-out-file="$work/steps.%p" "$tiny" "$2"
	if [ "$options" = bare ]; then
		"$@"
	else
		recorded "$options" "" "$@"
	fi >"$work/out" 2>"$work/err" || { cat "$work/err" >&2; exit 1; }
	callgrind_annotate --threshold=100 --auto=no "$work"/steps.* 2>"$work/err" | tr -d ,
}

# pieces OPTIONS: instructions of one transaction
pieces() {
	steps "$1" 40 >"$work/short"
	steps "$1" 80 >"$work/long"
	awk -v form="$1" '
		function piece_of(name) {
			if (name ~ /clock_gettime|base\/clock\.h|stmlog_now_ns/)
				return "clock"
			if (name ~ /begin\.S|_begin|begin_|returned|_choose|:begin$|:begin / && name ~ /runtimes|include|atomic_ops/)
				return "agent: begin"
			if (name ~ /[^l]commit|_ITM_commit/ && name ~ /runtimes|include|atomic_ops/ && name !~ /stmlog_commit_on/)
				return "agent: commit"
			if (name ~ /_ITM_[RW]/ && name ~ /runtimes/)
				return "agent: data barriers"
			if (name ~ /stmlog_|tries|account|attempts|timeline|wants_places/)
				return "library"
			if (name ~ /libitm\.so/)
				return "libitm"
			return name ~ /runtimes/ ? "agent: other" : "program"
		}
		NF > 1 && $1 ~ /^[0-9]+$/ && /:/ {
			name = $0
			sub(/^ *[0-9]+ *\([^)]*\) */, "", name)
			sum[piece_of(name)] += (FILENAME ~ /long$/ ? 1 : -1) * $1
		}
		END {
			printf "== instructions of one transaction: %s\n", form
			for (piece in sum)
				if (sum[piece] > 20000) {
					printf "  %-22s %7.1f\n", piece, sum[piece] / 40000 | "sort"
					all += sum[piece]
				}
			close("sort")
			printf "  %-22s %7.1f\n", "all", all / 40000
		}' "$work/short" "$work/long"
}

pieces bare
pieces --sample=1
