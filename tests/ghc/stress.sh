#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Timeouts, exceptions from other threads, transactions that can never go on, attempts that never end by themselves, bound
# threads, a forked process, preemption each millisecond: the program ends as it does without the module, and its
# recording adds up. So does that of very many threads, of very long transactions, and of a program with children.

. "$(dirname "$0")/ghc.inc"

# Without yields in loops, nobody stops an attempt that computes for ever: not GHC alone either.
haskell threaded stress -fno-omit-yields
haskell threaded many
haskell single many

for sample in 1 16 auto; do
	recorded "$tmp/data" --sample=$sample -- timeout -k 1 60 "$tmp/stress-threaded" 30 +RTS -C0.001 -V0.001
	same "the sum, sample=$sample" 0 "$(cat "$tmp/printed")"
	[ $sample != 1 ] || same "attempts that only the scheduler ends" yes \
		"$([ "$(entries_with detail ZOMBIE)" -ge 30 ] && echo yes)"
done

# counts SAMPLE SCENE COUNT: all commits are known.
counts() {
	sample=$1
	shift
	for program in threaded single; do
		recorded "$tmp/data" --sample="$sample" -- "$tmp/many-$program" "$@"
		same "$program, $*" "$(cat "$tmp/printed")" "$(jsonq "$tmp/report" .totals.commits)"
	done
}
counts 1 threads 100000
counts 1 long 10000
counts 1 children 1000
# While a thread calls C in the middle of an attempt, the RTS makes new records of attempts for others.
counts 64 calls 200 +RTS -A64k
