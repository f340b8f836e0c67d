#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Which part of its processor time a program spends in the libitm agent, by samples of perf: other processes on the
# machine do not change that much, while the ratios of bench/agent.sh need a quiet one. What the agent costs in time of
# others is not in it: cache lines that it takes from them, and conflicts that it changes. For each program and form, in
# percent of the samples, medians over the rounds:
#   agent     in the agent's functions
#   clock     in the C library's and the kernel's functions that read the clock
#   kernel    in the kernel, most of it at the start of threads and where they are interrupted
# usage: sh bench/share.sh [BUILD [ROUNDS [PERCENT]]]      PERCENT of the operations

set -eu
O=${1:-build}
rounds=${2:-3}
percent=${3:-100}
forms="--sample=auto --sample=1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
unset STMLOG_OPTIONS LD_PRELOAD
export LC_ALL=C # awk reads and prints decimals as the locale has them
export ITM_DEFAULT_METHOD="${ITM_DEFAULT_METHOD:-ml_wt}"

# Newer ones find no processor without /sys, and no sample then.
perf record -q -e cpu-clock -F 5000 -o "$work/perf" seq 1000000 >"$work/out" 2>"$work/err" &&
	perf report -i "$work/perf" --stdio >"$work/out" 2>"$work/err" && grep -q '%' "$work/out" || {
	echo "share.sh: perf cannot sample here: $(cat "$work/err" | tr '\n' ' ')" >&2
	exit 77
}

# sampled FORM COMMAND...: percent of the samples in the agent, in readings of the clock, and in the kernel
sampled() {
	form=$1
	shift
	perf record -q -e cpu-clock -F 5000 -o "$work/perf" "$O/stmlog" record -o "$work/data" --no-report "$form" -- "$@" \
		>"$work/out" 2>"$work/err" || { cat "$work/err" >&2; exit 1; }
	perf report -i "$work/perf" --comm "${1##*/}" --sort=dso,symbol --stdio 2>"$work/err" | awk '
		!/%/ || /^#/ { next }
		{ share = $1 + 0; all += share }
		/libstmlog-itm/ { agent += share; next }
		/clock_gettime|\[vdso\]/ { clock += share; next }
		/\[k\]|kernel/ { kernel += share }
		END { printf "%.2f %.2f %.2f\n", 100 * agent / all, 100 * clock / all, 100 * kernel / all }'
}

# median FIELD FILE
median() {
	cut -d ' ' -f "$1" "$2" | sort -n | sed -n "$(((rounds + 1) / 2))p"
}

# look PROGRAM THREADS OPERATIONS: OPERATIONS are those of each thread.
look() {
	operations=$(($3 * percent / 100))
	for form in $forms; do
		for round in $(seq "$rounds"); do
			sampled "$form" "$O/bench/$1" --threads="$2" --operations="$operations"
		done >"$work/figures"
		printf "  %-12s %d %-14s %7s %7s %7s\n" "$1" "$2" "$form" "$(median 1 "$work/figures")" \
			"$(median 2 "$work/figures")" "$(median 3 "$work/figures")"
	done
}

printf "  %-12s %s %-14s %7s %7s %7s\n" program T form agent clock kernel
look bank 1 4000000
look list 1 1000000
look bank 2 2000000
look list 2 400000
look reservation 2 150000
look index 2 400000
look clusters 2 400000
