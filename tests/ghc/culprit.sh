#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each abort has its culprit, and never another one, while each way of collecting garbage moves the TVars in the middle
# of attempts.

. "$(dirname "$0")/ghc.inc"

haskell threaded culprit
haskell single culprit

# blames GRADE PROGRAM COLLECTIONS ARGUMENT...: of 100 aborts, all are blamed on `poke` for certain, or on nothing.
blames() {
	grade=$1 program=$2 collections=$3
	shift 3
	what="$program, $collections collections, $*"
	recorded "$tmp/data" --sample=1 -- "$tmp/culprit-$program" "$collections" 100 +RTS "$@"
	same "$what: the program's own count" 100 "$(cat "$tmp/printed")"
	same "$what: aborts" 100 "$(entries_with detail INVALID)"
	same "$what: culprits" "100 $grade" "$(grades)"
	[ "$grade" = unknown ] || same "$what: others than poke" "" "$(others poke)"
}

for collector in -A256k -A64m -xn -G1 -G3; do
	blames certain threaded MAJOR $collector -N2
	blames certain single MAJOR $collector
done
blames certain threaded MAJOR -qg -N2
# Compaction moves all a second time, untold: then culprits are not known. Minor collections do not compact.
for program in threaded single; do
	blames certain $program MINOR -c
	blames unknown $program MAJOR -c
done
