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
preloaded "stacks=foo"
one_line "STMLOG_OPTIONS: stacks=foo is not "
preloaded "stacks=site,clock=monotonic"
same "lines" 2 "$(wc -l <"$tmp/err")"
grep -qF 'STMLOG_OPTIONS: ",clock=monotonic" is part of the value before it' "$tmp/err" || fail "$(cat "$tmp/err")"
claim "a preloaded agent warns of wrong values and separators"

# The kernel takes a TSC from this list that it has found to differ between processors.
list=/sys/devices/system/clocksource/clocksource0/available_clocksource
printf 'hpet acpi_pm ' >"$tmp/list"
cat >"$tmp/without_tsc" <<-END
	mount --bind "$tmp/list" $list || exit 77
	LD_PRELOAD=$agent STMLOG_OPTIONS=report=none:clock=tsc exec "$programs/O2/counters" 1
END
unshare -rm true 2>"$tmp/err" && [ -e $list ] || skip "no list of clocks of our own: $(cat "$tmp/err")"
run 0 unshare -rm sh "$tmp/without_tsc"
one_line "STMLOG_OPTIONS: clock=tsc is not possible here"
claim "a TSC that the kernel does not list is not read"
