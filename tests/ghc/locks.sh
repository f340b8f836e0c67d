#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Attempts that meet the lock of a transaction that is committing, each made to happen: its word, how often it happened,
# and the culprit.

. "$(dirname "$0")/ghc.inc"

cc -O2 -g -c -o "$tmp/hold.o" tests/ghc/programs/hold.c || fail "hold.c does not compile"
haskell threaded locks "-optl-Wl,--wrap=dirty_TVAR" "$tmp/hold.o"

# happens SCENE LOCKED LOCKED_READ MOMENTARY INVALID: each word so many times, and no other.
happens() {
	scene=$1
	recorded "$tmp/data" --sample=1 -- timeout -k 1 60 "$tmp/locks-threaded" "$scene" 20 +RTS -N2 -V0 -A64m -I0
	same "$scene: LOCKED" "$2" "$(entries_with detail LOCKED)"
	same "$scene: LOCKED_READ" "$3" "$(entries_with detail LOCKED_READ)"
	same "$scene: MOMENTARY" "$4" "$(entries_with detail MOMENTARY)"
	same "$scene: INVALID" "$5" "$(entries_with detail INVALID)"
	same "$scene: aborts" $(($2 + $4 + $5)) "$(jsonq "$tmp/report" .totals.aborts)"
}

# A pause knows whose lock it waits for.
happens read 0 20 0 0
same "read: culprits" "20 certain" "$(grades)"
same "read: others than poke" "" "$(others poke)"
# At the abort `poke` has not decided yet.
happens locked 20 20 0 0
same "locked: culprits" "20 certain 20 candidate" "$(grades)"
same "locked: others than poke" "" "$(others poke)"
# The attempts of `poke` are lost for certain, and nobody is to blame for those of the victim.
happens momentary 0 0 20 20
same "momentary: culprits" "20 certain 20 unknown" "$(grades)"
