#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The transaction that has woken one that sleeps is the first to write what that one has read, and not the one that has
# written it last: a thing is returned to a pool, and taken again before all sleepers run.

. "$(dirname "$0")/ghc.inc"

haskell threaded pool

# wakes OPTION ROUNDS: all that are known are by giveBack; leaves their number in $known.
wakes() {
	recorded "$tmp/data" "$1" -- timeout -k 1 60 "$tmp/pool-threaded" "$2" +RTS -N2
	same "$1: the program's sum" $(($2 * ($2 + 1) / 2)) "$(cat "$tmp/printed")"
	same "$1: who sleeps" Main.takeThing "$(jsonq "$tmp/report" '.blocked[0].begin.function')"
	same "$1: who has woken them" Main.giveBack "$(jsonq "$tmp/report" '.blocked[0].waker.begin.function')"
	known=$(jsonq "$tmp/report" '.blocked[0].waker.of')
	same "$1: wakes by it" "$known" "$(jsonq "$tmp/report" '.blocked[0].waker.count')"
}

wakes --sample=1 300
count=$(jsonq "$tmp/report" '.blocked[0].count')
[ "$known" -gt $((count / 2)) ] && [ "$known" -le "$count" ] || fail "of $count wakes $known are known"
wakes --sample=auto 3000
