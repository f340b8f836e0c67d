#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A preloaded agent opens its session when it is loaded, before the program's own code; what it warns of is on stderr
# then, too, and nothing is on stdout. (Of the module for GHC: tests/ghc/preload.sh.)

. "$(dirname "$0")/cli.inc"

# preloaded OPTIONS: a program with the agent
preloaded() {
	run 0 env LD_PRELOAD="$agent" STMLOG_OPTIONS="report=none:$1" "$programs/O2/counters" 1
	same "$1: stdout" "$plain" "$(cat "$tmp/out")"
}

plain=$("$programs/O2/counters" 1)
preloaded "clock=monotonic"
silent
preloaded "clock=sundial"
one_line "STMLOG_OPTIONS: clock=sundial is not monotonic or tsc; using the default"
preloaded "paths=foo"
one_line "STMLOG_OPTIONS: paths=foo is not "
preloaded "paths=off,clock=monotonic"
same "lines" 2 "$(wc -l <"$tmp/err")"
grep -qF 'STMLOG_OPTIONS: ",clock=monotonic" is part of the value before it' "$tmp/err" || fail "$(cat "$tmp/err")"
claim "a preloaded agent warns of wrong values and separators"

make_clock_list

# with_tsc LIST [REASON]: a program with the agent and the TSC as its clock. If the processor guarantees its speed, the
# TSC is refused for this reason, or read.
with_tsc() {
	run 0 env LIST="$1" LD_PRELOAD="$agent:$tmp/list.so" STMLOG_OPTIONS=report=none:clock=tsc "$programs/O2/counters" 1
	same "$1: stdout" "$plain" "$(cat "$tmp/out")"
	if ! grep -qw constant_tsc /proc/cpuinfo || ! grep -qw nonstop_tsc /proc/cpuinfo; then
		one_line "STMLOG_OPTIONS: clock=tsc: the processor does not guarantee that its TSC runs at one speed"
	elif [ -n "${2:-}" ]; then
		one_line "STMLOG_OPTIONS: clock=tsc: $2; reading CLOCK_MONOTONIC"
	else
		silent
	fi
}

echo 'tsc hpet acpi_pm ' >"$tmp/listed"
with_tsc "$tmp/listed"
with_tsc "$tmp/nowhere"
claim "where the kernel's list of clocks cannot be read, the processor's guarantee decides about the TSC"

# The kernel takes a TSC from this list that it has found to differ between processors.
echo 'hpet acpi_pm ' >"$tmp/removed"
with_tsc "$tmp/removed" "the kernel does not list the TSC as a clock source"
claim "a TSC that the kernel does not list is not read, and one line says so"
