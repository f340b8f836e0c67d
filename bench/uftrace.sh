#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What it costs to know the functions that a thread is in: a push and a pop in each call, against uftrace, which records
# each call and return with its time. Nanoseconds that each adds to a call, medians of rounds in turns.
# usage: sh bench/uftrace.sh [BUILD [ROUNDS]]

set -eu
export LC_ALL=C # awk reads and prints decimals as the locale has them
O=${1:-build}
rounds=${2:-7}
command -v uftrace >/dev/null && [ -x "$O/bench/uftrace/traced" ] || {
	echo "uftrace: left out, it is not here (package uftrace)"
	exit 0
}
programs=$(cd "$O/bench/uftrace" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

cd "$work" # a program with -pg may leave gmon.out
for round in $(seq "$rounds"); do
	bare=$("$programs/bare")
	pushed=$("$programs/pushed")
	uftrace record --no-pager -d "$work/trace" "$programs/traced" >"$work/told" 2>&1
	traced=$(grep -m1 '^[0-9.]*$' "$work/told")
	rm -rf "$work/trace" "$work/trace.old"
	echo "$pushed $traced $bare" | awk '{ print $1 - $3, $2 - $3, ($1 - $3) / ($2 - $3) }' >>"$work/rounds"
done
# median COLUMN
median() {
	awk -v column="$1" '{ print $column }' "$work/rounds" | sort -n | sed -n "$((rounds / 2 + 1))p"
}
printf 'a call                        push + pop %.2f ns  uftrace %.2f ns  ratio %.3f\n' "$(median 1)" "$(median 2)" "$(median 3)"
