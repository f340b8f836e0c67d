#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Attempts that meet the lock of a transaction that is committing, each made to happen: its word, how often it happened,
# and the culprit.

. "$(dirname "$0")/ghc.inc"

cc -O2 -g -c -o "$tmp/hold.o" tests/ghc/programs/hold.c || fail "hold.c does not compile"
haskell threaded locks "-optl-Wl,--wrap=dirty_TVAR" "$tmp/hold.o"

# In some rounds the victim must spin for some milliseconds of its processor's time.
rounds=5

# happens SCENE LOCKED LOCKED_READ MOMENTARY INVALID: each word so often in a round, and no other. The time limit is for a
# program that hangs.
happens() {
	scene=$1
	recorded "$tmp/data" --sample=1 -- timeout -k 1 300 "$tmp/locks-threaded" "$scene" $rounds +RTS -N2 -V0 -A64m -I0
	same "$scene: LOCKED" $((rounds * $2)) "$(entries_with detail LOCKED)"
	same "$scene: LOCKED_READ" $((rounds * $3)) "$(entries_with detail LOCKED_READ)"
	same "$scene: MOMENTARY" $((rounds * $4)) "$(entries_with detail MOMENTARY)"
	same "$scene: INVALID" $((rounds * $5)) "$(entries_with detail INVALID)"
	same "$scene: aborts" $((rounds * ($2 + $4 + $5))) "$(jsonq "$tmp/report" .totals.aborts)"
}

# A pause knows whose lock it waits for.
happens read 0 1 0 0
same "read: culprits" "$rounds certain" "$(grades)"
same "read: others than poke" "" "$(others poke)"
# At the abort `poke` has not decided yet.
happens locked 1 1 0 0
same "locked: culprits" "$rounds certain $rounds candidate" "$(grades)"
same "locked: others than poke" "" "$(others poke)"
# The attempts of `poke` are lost for certain, and nobody is to blame for those of the victim.
happens momentary 0 0 1 1
same "momentary: culprits" "$rounds certain $rounds unknown" "$(grades)"
