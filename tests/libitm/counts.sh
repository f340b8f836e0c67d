#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The profiler counts the same as libitm itself: aborts by kind of conflict, in programs with flat transactions, where
# each restart of libitm's is one abort.

. "$(dirname "$0")/../helpers/shell.inc"

# counter NAME...: the sum of libitm's own counters with these names
counter() {
	for name; do
		tr ' ' '\n' <"$tmp/counters" | sed -n "s/^$name=//p"
	done | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

# aborts CONTENTION: what the report says of self-aborts with it
aborts() {
	jsonq "$tmp/report" '.causes[].reason' >"$tmp/reasons"
	jsonq "$tmp/report" '.causes[].contention' >"$tmp/contentions"
	jsonq "$tmp/report" '.causes[].count' >"$tmp/numbers"
	paste -d ' ' "$tmp/reasons" "$tmp/contentions" "$tmp/numbers" |
		awk -v wanted="$1" '$1 == "self-abort" && $2 == wanted { sum += $3 } END { printf "%.0f\n", sum }'
}

# run OPTIONS PROGRAM ARGUMENT...: leaves the report, and libitm's own counters
run() {
	option=$1
	shift
	# shellcheck disable=SC2086
	COUNTERS_OUT=3 LD_PRELOAD=$PWD/$O/tests/helpers/libcounters.so \
		record "$tmp/data" $option -- "$@" >/dev/null 3>"$tmp/counters"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	restarts=$(counter '[A-Z_]*')
}

# compare_all OPTION PROGRAM ARGUMENT...: the sum, of programs in which conflicts are certain
compare_all() {
	run "$@"
	[ "$restarts" -ge 50 ] || fail "$*: $restarts restarts, though two threads were to meet 50 times"
	same "$*: restarts" "$restarts" "$(jsonq "$tmp/report" .totals.aborts)"
	echo "$*: $restarts restarts"
}

# compare_causes OPTION PROGRAM ARGUMENT...: each kind of conflict
compare_causes() {
	compare_all "$@"
	same "$*: write-write" "$(counter LOCKED_WRITE)" "$(aborts write-write)"
	same "$*: write-read" "$(counter LOCKED_READ VALIDATE_READ VALIDATE_WRITE VALIDATE_COMMIT)" \
		"$(aborts write-read)"
}

bank="$O/bench/bank --meet=50 --seconds=0.3"
list="$O/bench/list --meet=50 --seconds=0.3"
# shellcheck disable=SC2086
{
	compare_causes --sample=1 $bank --threads=2
	compare_causes --sample=1 $bank --threads=4 --updates=60
	compare_causes --sample=1 $list --threads=2
	compare_causes --sample=1 $list --threads=4 --buckets=8
	compare_causes --sample=1 $list --threads=2 --size=2 --updates=100
	compare_all --sample=8 $bank --threads=2
	compare_all --sample=8 $list --threads=4
	compare_all --sample=auto $bank --threads=2
}
STMLOG_OPTIONS=counters=off
export STMLOG_OPTIONS
# shellcheck disable=SC2086
compare_all --sample=1 $bank --threads=2
