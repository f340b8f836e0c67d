#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The report that a process prints at its end, and what `stmlog report` prints of the file that it writes at its end,
# are the same text.

. "$(dirname "$0")/cli.inc"

# both OPTIONS COMMAND...: makes $tmp/data and $tmp/report
both() {
	STMLOG_OPTIONS=out=$tmp/data:report=$tmp/report:$1
	export STMLOG_OPTIONS
	shift
	"$@" >"$tmp/out" 2>"$tmp/err" || fail "$*: $(cat "$tmp/err")"
	unset STMLOG_OPTIONS
}

# is_same WORDS...: as `stmlog report WORDS...` prints it
is_same() {
	run 0 "$stmlog" report "$@" "$tmp/data"
	cmp -s "$tmp/out" "$tmp/report" || fail "$*: $(diff "$tmp/out" "$tmp/report" | head -n 20)"
}

for seed in 0 1 2 3 4 5 6 7 8 9 10 11; do
	both "" "$O/tests/helpers/sessions" "$seed"
	is_same
	both "capacity=4:top=50:depth=3" "$O/tests/helpers/sessions" "$seed"
	is_same --top=50
done
claim "of sessions at random, entries, pairs and all"

make_comma_locale
for locale in C comma C.UTF-8; do
	export LC_ALL=$locale
	both "paths=on" "$O/tests/helpers/sessions" 5
	is_same
	grep -q "f$(printf '\303\266')o" "$tmp/report" || fail "$locale: no name beyond ASCII: $(head -n 30 "$tmp/report")"
	for words in report "report --by=site" "report --by=pair" "report --json" info; do
		# shellcheck disable=SC2086 # several words
		"$stmlog" $words "$tmp/data" >"$tmp/out"
		LC_ALL=C.UTF-8 "$stmlog" $words "$tmp/data" | cmp -s - "$tmp/out" || fail "$words: another text in the locale $locale"
	done
done
export LC_ALL=C
claim "in whatever locale, which the text does not depend on"

both "timeline=100000" "$O/tests/helpers/sessions" 7
is_same
claim "where there is a timeline, of which the program tells no tasks and regions"

both "" "$O/every-cause"
is_same
claim "of a program that the library is linked into"

# shows WORDS: a line of the first screen begins with this expression.
shows() {
	grep -q "^$1" "$tmp/screen" || fail "no '$1' in the first screen: $(cat "$tmp/screen")"
}
sed '/^Next: /q' "$tmp/report" >"$tmp/screen"
[ "$(wc -l <"$tmp/screen")" -le 24 ] || fail "more than 24 lines: $(cat "$tmp/screen")"
# Above it stands a warning if the machine was busy.
shows 'stmlog  every-cause   smallstm   30 threads'
shows '.* of the threads. time is lost'
shows '  committed '
shows ' [1-9] .*  irrevocable transaction: scenario.c:[0-9]* run_'
shows '    because of smallstm_scenarios.c:[0-9]* become_inevitable.*; try: do it after the transaction'
shows 'Next: stmlog report'
claim "with the first screen before all else: speed, lost time, and the findings with their lines"

# Addresses have names in the command's alone: what stands above, between and below them is compared.
plain() {
	sed '/^ #  /,/^Next: /d; /^words: /d; /^No rule /,/^Next: /d; /^Costliest/,/^Threads/d' "$1"
}
both "" env LD_PRELOAD="$agent" "$O/bench/bank" --meet=50 --threads=2 --operations=20000
run 0 "$stmlog" report "$tmp/data"
plain "$tmp/out" >"$tmp/above"
plain "$tmp/report" | cmp -s - "$tmp/above" || fail "$(plain "$tmp/report" | diff "$tmp/above" - | head)"
grep -q '^ 1\. ' "$tmp/report" || fail "no entries: $(cat "$tmp/report")"
claim "of a program with the agent, but for names that debug information has"

# The transactions of this one thread are so short that recording their events takes a fifth of their time.
both "timeline=100000" env LD_PRELOAD="$agent" "$programs/O2/counters" 1
run 0 "$stmlog" report "$tmp/data"
for text in out report; do
	grep -q '^the timeline changes how often transactions abort' "$tmp/$text" || fail "$text: $(head -n 3 "$tmp/$text")"
done
claim "where the timeline has changed the run"

both "" env LD_PRELOAD="$passive_agent" "$O/bench/bank" --threads=2 --operations=20000
is_same
claim "of a passive run"
