#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each way in which an attempt can end without a commit, made to happen: its word, how often it happened, and the culprit.

. "$(dirname "$0")/ghc.inc"

haskell threaded words
haskell single words

# happens SCENE WORD...: each word 50 times, and no other abort.
happens() {
	scene=$1
	shift
	for program in threaded single; do
		recorded "$tmp/data" --sample=1 -- "$tmp/words-$program" "$scene" 50
		for word; do
			same "$program, $scene: $word" 50 "$(entries_with detail "$word")"
		done
		same "$program, $scene: aborts" $((50 * $#)) "$(jsonq "$tmp/report" .totals.aborts)"
		blocked=$(jsonq "$tmp/report" .totals.blocked_unattached.count)
		in_vain=$(jsonq "$tmp/report" .totals.blocked_unattached.in_vain)
		same "$program, $scene: blocked, and in vain" "$sleeps" "$blocked $in_vain"
	done
}

# lost SCENE WORD: the attempts were lost to `poke`.
lost() {
	sleeps="0 0"
	happens "$@"
	same "$1: culprits" "50 certain" "$(grades)"
	same "$1: others than poke" "" "$(others poke)"
}

# asked SCENE WORD...: the program has ended the attempts.
asked() {
	happens "$@"
	same "$1: reasons" user-abort "$(jsonq "$tmp/report" '.entries[].reason' | sort -u)"
}

lost invalid INVALID
lost zombie ZOMBIE
lost nested NESTED_INVALID
lost retry RETRY_INVALID
lost exception EXCEPTION_INVALID
asked raise EXCEPTION
asked killed KILLED
asked killed-far KILLED
sleeps="100 50"
asked vain RETRY RETRY_IN_VAIN

same "in vain, but not spurious" 0 "$(jsonq "$tmp/report" .blocked_spurious)"
# No attempt lies between two sleeps.
for program in threaded single; do
	for sample in 1 1000000; do
		recorded "$tmp/data" --sample=$sample -- "$tmp/words-$program" spurious 50 +RTS -V0
		same "$program, $sample: sleeps, in vain, spurious" "100 50 50" "$(jsonq "$tmp/report" \
			.totals.blocked_unattached.count) $(jsonq "$tmp/report" .totals.blocked_unattached.in_vain) $(
			jsonq "$tmp/report" .blocked_spurious)"
		same "$program, $sample: aborts" 50 "$(jsonq "$tmp/report" .totals.aborts)"
	done
done

# While `victim` is preempted in its attempt, `poke` takes a spare lane of the one capability.
recorded "$tmp/data" --sample=1 -- "$tmp/words-single" zombie 50
jsonq "$tmp/report" '.threads[].name' | paste -s -d , >"$tmp/names"
same "lanes" "cap 0,cap 0 spare" "$(cat "$tmp/names")"
same "spare ones" "false true" "$(jsonq "$tmp/report" '.threads[].spare' | paste -s -d ' ')"
"$stmlog" report "$tmp/data" | grep -q '   1 capability on ' || fail "the first screen counts spare lanes"

# What is not measured is counted all the same, and so are the sleeps.
for program in threaded single; do
	recorded "$tmp/data" --sample=1000000 -- "$tmp/words-$program" vain 50
	same "$program: aborts when hardly any attempt is measured" 100 "$(jsonq "$tmp/report" .totals.aborts)"
	same "$program: commits" 150 "$(jsonq "$tmp/report" .totals.commits)"
	same "$program: sleeps" 100 "$(jsonq "$tmp/report" .totals.blocked_unattached.count)"
	recorded "$tmp/data" --sample=1000000 -- "$tmp/words-$program" asleep 50
	same "$program: aborts of those that are killed while they sleep" 50 "$(jsonq "$tmp/report" .totals.aborts)"
	recorded "$tmp/data" --sample=1000000 -- "$tmp/words-$program" invalid 50
	same "$program: lost attempts" 50 "$(jsonq "$tmp/report" .totals.aborts)"
done
