#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Two programs with three faults each, on which the rules were not written: a hot word, false sharing, and a transaction
# that prints. The first screen of the report names all six, and what they are about, in each of RULE_RUNS runs.

. "$(dirname "$0")/cli.inc"

runs=${RULE_RUNS:-2}

# names TITLE WORDS: a finding of the first screen with that title has these words in its two lines.
names() {
	grep -F -A 1 -e "$1" "$tmp/screen" | grep -qF -e "$2" || fail "run $run of $program: no '$1' with '$2': $(cat "$tmp/screen")"
}

# title RULE: the words for it in the report
title() {
	sed -n "s/^FINDING([A-Z_]*, \"$1\", \"\([^\"]*\)\".*/\1/p" report/findings/findings.def
}

# screen SOURCE: leaves the first screen for one run of the program in $tmp/screen.
screen() {
	program=$1
	record "$tmp/data" -- "$programs/O2/rules/${1%.*}" >"$tmp/out" 2>&1 || fail "$1: $(cat "$tmp/out")"
	COLUMNS=80 "$stmlog" report "$tmp/data" | sed '/^Next/q' >"$tmp/screen"
	[ "$(wc -l <"$tmp/screen")" -le 24 ] || fail "$1: more than 24 lines: $(cat "$tmp/screen")"
}

for run in $(seq "$runs"); do
	screen six_library.c
	names "$(title hot-word)" next_loan_number
	! grep -qF next_loan_number+0 "$tmp/screen" || fail "a variable of one word has no other words: $(cat "$tmp/screen")"
	names "$(title false-sharing)" desk_tallies
	names "$(title irrevocable)" print_line
	screen six_auction.cc
	names "$(title hot-word)" auction::house.turnover
	names "$(title false-sharing)" 'auction::house.seated['
	names "$(title irrevocable)" fprintf
done
claim "the first screen names six planted faults in $runs of $runs runs"
