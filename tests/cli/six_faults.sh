#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Two programs with three faults each: a hot word, neighbouring words, and a transaction that prints. The first screen of
# the report has a row for each, in each of ROW_RUNS runs.

. "$(dirname "$0")/cli.inc"

runs=${ROW_RUNS:-2}

# names TRANSACTION WORDS...: the transaction has a row in the first screen, which has each of these words with all its lines.
names() {
	transaction=$1
	shift
	grep -Eq "^ *~?[0-9]+ [^ ]*$transaction " "$tmp/screen" || fail "run $run of $program: no $transaction: $(cat "$tmp/screen")"
	awk -v name="$transaction" '/^ *~?[0-9]+ / { is_in = index($0, name " ") != 0 } /^$/ { is_in = 0 } is_in' \
		"$tmp/full" >"$tmp/row"
	for words in "$@"; do
		grep -qF -e "$words" "$tmp/row" || fail "run $run of $program: no '$words' of $transaction: $(cat "$tmp/row")"
	done
}

# screen SOURCE: leaves the first screen for one run of the program in $tmp/screen.
screen() {
	program=$1
	record "$tmp/data" -- "$programs/O2/rows/${1%.*}" >"$tmp/out" 2>&1 || fail "$1: $(cat "$tmp/out")"
	COLUMNS=80 "$stmlog" report "$tmp/data" >"$tmp/screen"
	"$stmlog" report --full "$tmp/data" >"$tmp/full"
	[ "$(wc -l <"$tmp/screen")" -le 24 ] || fail "$1: more than 24 lines: $(cat "$tmp/screen")"
}

for run in $(seq "$runs"); do
	screen six_library.c
	names lend next_loan_number
	! grep -qF next_loan_number+0 "$tmp/screen" || fail "a variable of one word has no other words: $(cat "$tmp/screen")"
	names tally desk_tallies neighbours
	names remind 'irrevocable by print_line'
	screen six_auction.cc
	names bid auction::house.turnover
	names seat_guest 'auction::house.seated[' neighbours
	names hammer 'irrevocable by fprintf'
done
claim "the first screen names six planted faults in $runs of $runs runs"
