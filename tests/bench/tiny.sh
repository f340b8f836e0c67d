#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bench/tiny.sh prints a row of figures for each form of the agent, and, if there is valgrind, the instructions of one
# transaction. The test does not look at times.
#
# Not alone: no time is looked at.

. "$(dirname "$0")/../cli/cli.inc"
[ -n "${STMLOG_BUILT:-}" ] || make -s "$O/bench/micro/clock"

make_comma_locale
run 0 env LC_ALL=comma sh bench/tiny.sh "$O" 1 20
silent
awk '
	$1 == "==" { table++; next }
	table == 1 && NF == 5 && $2 ~ /^[0-9]+\.[0-9]$/ { printf " %s", $1 }' "$tmp/out" >"$tmp/rows"
tsc=
! grep -qw tsc /sys/devices/system/clocksource/clocksource0/available_clocksource 2>/dev/null || tsc=" exact,tsc"
same "the rows" " bare two_clocks default exact$tsc" "$(cat "$tmp/rows")"
claim "it has a row of figures for each form"

make_clock_list
echo 'hpet acpi_pm ' >"$tmp/removed"
mkdir "$tmp/build"
ln -s "$PWD/$O/bench" "$tmp/build"
printf '#!/bin/sh\nLIST=%s LD_PRELOAD=%s exec %s "$@"\n' "$tmp/removed" "$tmp/list.so" "$stmlog" >"$tmp/build/stmlog"
chmod +x "$tmp/build/stmlog"
run 0 sh bench/tiny.sh "$tmp/build" 1 20
silent
says "  exact,tsc      left out: stmlog: STMLOG_OPTIONS: clock=tsc: "
! grep -qE 'exact,tsc +[0-9]' "$tmp/out" || fail "figures of the TSC: $(cat "$tmp/out")"
claim "where the TSC cannot be the clock, it is said in place of its figures"

run 2 "$O/bench/tiny/tiny" 0
run 2 "$O/bench/tiny/tiny" 10 clock
claim "the program refuses wrong arguments"

command -v callgrind_annotate >/dev/null || exit 0
run 0 sh bench/tiny.sh "$O" 1 20
awk '
	/^== instructions/ { what = $NF }
	what == "--sample=1" && $1 ~ /^(agent:|library|clock|libitm)$/ && $NF > 0 { printf " %s", $1 }' "$tmp/out" >"$tmp/pieces"
same "the pieces" " agent: agent: agent: clock libitm library" "$(cat "$tmp/pieces")"
claim "it counts the instructions of the agent, of the library and of libitm"
