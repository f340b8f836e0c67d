#!/bin/sh
# SPDX-License-Identifier: MIT
#
# On a processor with hardware transactions: transactions that it cannot run in hardware fail for a known reason, and
# the report shows it. hardware.sh plays hardware transactions where there are none.

. "$(dirname "$0")/../helpers/shell.inc"

has_rtm || skip "this processor has no hardware transactions (no flag rtm in /proc/cpuinfo)"
export ITM_DEFAULT_METHOD=htm

# profile PROGRAM ARGUMENT...
profile() {
	record "$tmp/data" --sample=1 -- "$@" >/dev/null
	"$stmlog" check "$tmp/data" >/dev/null
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	aborts=$(jsonq "$tmp/report" .hardware.aborts)
}

# caused WORD LEAST: at least so many aborts have that reason; running alone afterwards makes others fail, too
caused() {
	found=$(jsonq "$tmp/report" ".hardware.by_cause.$1")
	[ "$found" -ge "$2" ] || fail "$1: $found, fewer than $2: $(jsonq "$tmp/report" .hardware)"
	echo "$1: $found of $aborts aborts"
}

# Two threads, since with one libitm runs them in software. Each of 10,000 transactions fails at least once.
for level in O0 O2; do
	profile "$O/programs/$level/limits" 2 10000 1
	caused HTM_UNFRIENDLY 19000
	profile "$O/programs/$level/limits" 2 300 2 131072
	caused HTM_CAPACITY 500
done

# Functions that are bound lazily are never bound by a call in hardware. So fewer transactions fall back if all
# functions are bound at the start; if they are not, the report says what to try.
fallbacks() {
	record "$tmp/data" --sample=1 -- "$O/bench/list" --threads=2 --updates=100 --operations=200000 >/dev/null
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	"$stmlog" report "$tmp/data" >"$tmp/text"
	jsonq "$tmp/report" .hardware.fallbacks
}
readelf -d "$O/bench/list" | grep -q 'BIND_NOW\|FLAGS_1.*NOW' && {
	echo "this compiler binds all at the start: lazy binding is not tried"
	exit 0
}
lazy=$(fallbacks)
grep -q LD_BIND_NOW=1 "$tmp/text" || fail "the report of the list does not suspect lazy binding: $(cat "$tmp/text")"
LD_BIND_NOW=1
export LD_BIND_NOW
now=$(fallbacks)
! grep -q LD_BIND_NOW=1 "$tmp/text" || fail "the report suspects lazy binding where there is none"
[ $((2 * now)) -lt "$lazy" ] || fail "fallbacks: $lazy bound lazily, $now bound at the start"
echo "fallbacks: $lazy bound lazily, $now bound at the start"
