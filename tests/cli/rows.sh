#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each way to be in the way of others, and each kind of data (report/ranking/ranking.def), has a small program with a
# fault (tests/programs/rows; those in Haskell have tests of their own, tests/ghc/wake.sh and wakes.sh). Of the program
# with the fault it stands in the first row, and without the fault it does not: in each of ROW_RUNS runs of either.
# ROW=NAME tries that program only. Where other programs had the processors for more than three quarters of the time,
# threads hardly ever meet, and the report says so: such a run shows nothing, and the test is skipped.
#
# Alone: rows need losses that come by themselves.

. "$(dirname "$0")/cli.inc"

runs=${ROW_RUNS:-2}
failed=
disturbed=

# Each program, and what its first row says with the fault: the transaction, how, data, objects, and the texts of how and data.
cat >"$tmp/expected" <<'END_OF_TABLE'
word ^market::place [a-z]+ word market::book.next_id
neighbours ^web::Request::answer_size [a-z]+ neighbours web::packed.* web::packed.
alias ^deliver [a-z]+ alias pool
wait ^exchange::turnover_at_once wait .*from exchange::analyst
alone ^sell_and_print alone .*irrevocable by fprintf
starved ^transfer_on_credit alone .*101 failed attempts because of it
poll ^take poll
preempted ^post [a-z]+ .*preempted$
END_OF_TABLE

# row PATH: a value of the first row
row() {
	jsonq "$tmp/report" ".rows[0]$1"
}

# off: "preempted" if waits went on without a processor for longer than the row's lost time
off() {
	[ "$(row .no_processor_ns)" -le "$(row .lost_ns)" ] || echo preempted
}

# find_row PROGRAM FORM: leaves the first row in $tmp/row, as a line.
find_row() {
	timeout -k 1 120 "$stmlog" record -o "$tmp/data" --no-report -- "$programs/O2/rows/$1" "$2" >"$tmp/out" 2>&1 ||
		fail "$1 $2: $(cat "$tmp/out")"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	: >"$tmp/row"
	[ "$(jsonq "$tmp/report" '.rows#')" = 0 ] ||
		echo "$(row .name) $(row .how) $(row .data) $(row '.objects[]' | tr '\n' ' ') $(row .text.how) $(row .text.data) $(off)" >"$tmp/row"
}

# surprise PROGRAM FORM: says what was found instead, with the first screen, from which the reason can be seen
surprise() {
	echo "    $1 $2 the fault, run $run: found $(cat "$tmp/row")"
	"$stmlog" report "$tmp/data" | sed 's/^/        /'
}

# is_right PATTERN WANTED: the row found matches if WANTED is 1.
is_right() {
	[ "$(grep -cE "$1" "$tmp/row")" = "$2" ]
}

# try PROGRAM PATTERN FORM WANTED: all runs of this form, of which a run without processors does not count: its threads
# waited for others that had none. Sets $right.
try() {
	right=0
	for run in $(seq "$runs"); do
		for _ in 1 2 3 4 5; do
			find_row "$1" "$3"
			! is_right "$2" "$4" && had_few_processors "$tmp/data" || break
		done
		if is_right "$2" "$4"; then
			right=$((right + 1))
		elif is_disturbed "$tmp/data"; then
			disturbed=$1
			right=$((right + 1))
		else
			surprise "$1" "$3"
		fi
	done
	[ "$right" = "$runs" ] || failed="$failed $1"
}

while read -r name _; do
	echo "$name"
done <"$tmp/expected" | grep -vx starved | sort >"$tmp/names" # which is another reason to run alone
for source in tests/ghc/programs/rows/*; do
	basename "$source" .hs
done | sort - "$tmp/names" >"$tmp/programs"
# Conflicts have a program for each kind of data. That a kind is not known needs none.
sed -n 's/^\(HOW\|DATA\)([A-Z]*, "\([a-z]*\)".*/\2/p' report/ranking/ranking.def | grep -vx -e conflict -e nearby | sort >"$tmp/table"
same "the programs" "$(cat "$tmp/table")" "$(cat "$tmp/programs")"
claim "each way to be in the way has a program"

while read -r name pattern; do
	[ "${ROW:-$name}" = "$name" ] || continue
	try "$name" "$pattern" with 1
	echo "$name: in the first row with the fault in $right of $runs runs"
	# That it has more threads than processors is its fault, and on a busy machine each program has.
	[ "$name" != preempted ] || continue
	try "$name" "$pattern" without 0
	echo "$name: not in the first row without the fault in $right of $runs runs"
done <"$tmp/expected"
[ -z "$failed" ] || fail "not in all runs:$failed"
[ -z "$disturbed" ] || skip "$disturbed was not found while other programs had the processors for most of the time"
claim "the first row is the transaction in the way, where there is one"
