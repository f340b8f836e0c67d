#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The programs to profile: each holds its invariants, prints the figures that bench/agent.sh reads, takes its options,
# and refuses wrong ones. The test does not look at times.
#
# Not alone: no time is looked at.

. "$(dirname "$0")/../cli/cli.inc"
. "$(dirname "$0")/bench.inc"

programs="bank list reservation index clusters queue"
same "the programs tried" "$(for source in bench/programs/*.c; do basename "$source" .c; done)" \
	"$(echo "$programs" | tr ' ' '\n' | sort)"

# The smallest size of each program.
smallest() {
	case $1 in
	bank) echo --accounts=2 ;;
	list) echo --size=1 ;;
	reservation) echo --size=1 --customers=1 --queries=1 ;;
	index) echo --size=1 --range=1 ;;
	clusters) echo --size=1 --clusters=1 --changes=1 ;;
	queue) echo --size=1 ;;
	esac
}

for program in $programs; do
	for threads in 1 2 4; do
		holds "$program" $threads 2000
		# shellcheck disable=SC2046
		holds "$program" "$threads" 2000 $(smallest "$program") --updates=100
		holds "$program" "$threads" 2000 --updates=0
	done
done
claim "each program does what it is told, with its invariants held, however small and with any share of updates"

# changes PROGRAM: the name of the figure that counts the program's changes
changes() {
	case $1 in
	reservation) echo booked ;;
	index) echo moved ;;
	clusters) echo replaced ;;
	list) echo inserted ;;
	queue) echo put ;;
	esac
}
for program in reservation index clusters list queue; do
	holds "$program" 2 1000 --updates=0
	same "$program: changes without updates" 0 "$(figure "$(changes "$program")")"
	holds "$program" 2 1000 --updates=100
	[ "$(figure "$(changes "$program")")" -gt 0 ] || fail "$program changes nothing"
done
claim "the share of updates is what changes something"

for program in $programs; do
	holds "$program" 1 1000 --seed=7
	figures_but_times >"$tmp/first"
	holds "$program" 1 1000 --seed=7
	figures_but_times >"$tmp/again"
	cmp -s "$tmp/first" "$tmp/again" || fail "$program: another run with this seed: $(diff "$tmp/first" "$tmp/again")"
	holds "$program" 1 1000 --seed=8
	figures_but_times >"$tmp/other"
	! cmp -s "$tmp/first" "$tmp/other" || fail "$program: another seed changes nothing"
done
claim "a seed stands for one course of a thread"

for program in $programs; do
	for option in --threads=0 --threads=1025 --operations=1.5 --seconds=-1 --seed=x --updates=101 --updates=nan --nonsense=1 \
		--threads word; do
		run 2 "$O/bench/$program" "$option"
		same "$program $option: lines on stderr" 1 "$(wc -l <"$tmp/err")"
		grep -q "$program: " "$tmp/err" || fail "$program $option: $(cat "$tmp/err")"
		same "$program $option: stdout" "" "$(cat "$tmp/out")"
	done
	run 0 "$O/bench/$program" --help
	silent
	says "usage: $program [OPTION]..."
done
claim "what is no option is one line and status 2"

for program in $programs; do
	record "$tmp/data" --sample=1 -- "$O/bench/$program" --threads=2 --operations=5000 >"$tmp/out"
	"$stmlog" report --json "$tmp/data" >"$tmp/json"
	same "$program: commits" "$(figure operations)" "$(jsonq "$tmp/json" .totals.commits)"
done
claim "an operation is one transaction"

# What one thread does depends on its seed only, so both banks must print the same.
for option in --updates=99.9 --updates=50 --accounts=2; do
	holds bank 1 2000 --seed=7 $option
	figures_but_times >"$tmp/first"
	for program in smallstm/bank smallstm/bank-off lazystm/bank lazystm/bank-off; do
		STMLOG_OPTIONS=report=none holds $program 1 2000 --seed=7 $option
		figures_but_times >"$tmp/again"
		cmp -s "$tmp/first" "$tmp/again" || fail "$program $option: $(diff "$tmp/first" "$tmp/again")"
		# One case has more threads than smallstm has segments.
		STMLOG_OPTIONS=report=none holds $program 70 100 --seed=7 $option
	done
done
# The main thread transacts as well: it opens eight accounts, and counts at the end.
for stm in smallstm lazystm; do
	bank=$O/bench/$stm/bank
	same "hooks of $stm in the one that has none" "" "$(nm "$bank-off" | grep ' stmlog_' || true)"
	record "$tmp/data" -- "$bank" --threads=2 --operations=5000 >"$tmp/out"
	"$stmlog" report --json "$tmp/data" >"$tmp/json"
	same "commits of $stm" $(($(figure operations) + 9)) "$(jsonq "$tmp/json" .totals.commits)"
done
claim "the bank on the STMs of this tree does what that on libitm does, with hooks and without"
