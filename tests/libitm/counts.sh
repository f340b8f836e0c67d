#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the profiler counts is what libitm itself counts: aborts by kind of conflict,
# on programs with flat transactions, where each restart of libitm's is one abort.

. "$(dirname "$0")/../helpers/shell.inc"

# counter NAME...: the sum of libitm's own counters of these names
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

# count PROGRAM ARGUMENT...
count() {
	name=$1
	shift
	COUNTERS_OUT=3 LD_PRELOAD=$PWD/$O/tests/helpers/libcounters.so ITM_DEFAULT_METHOD=ml_wt \
		record "$tmp/data" --sample=1 -- "$O/bench/$name" "$@" >/dev/null 3>"$tmp/counters"
	grep -q 'unknown libitm' "$tmp/counters" &&
		skip "libitm is another one than that whose counters can be read"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	restarts=$(counter '[A-Z_]*')
	[ "$restarts" -gt 0 ] || fail "$name $*: nothing was restarted, so nothing is tested"
	same "$name: restarts" "$restarts" "$(jsonq "$tmp/report" .totals.aborts)"
	same "$name: write-write" "$(counter LOCKED_WRITE)" "$(aborts write-write)"
	same "$name: write-read" "$(counter LOCKED_READ VALIDATE_READ VALIDATE_WRITE VALIDATE_COMMIT)" \
		"$(aborts write-read)"
	echo "$name $*: $restarts restarts"
}

count bank --threads=2 --operations=100000
count bank --threads=4 --operations=30000 --updates=60
count list --threads=2 --operations=100000
count list --threads=4 --operations=30000 --buckets=8
