#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each abort has its culprit, and never another one, while each way of collecting garbage moves the TVars in the middle
# of attempts.

. "$(dirname "$0")/ghc.inc"

haskell threaded culprit
haskell single culprit

# blames PROGRAM KIND ARGUMENT...: of 100 aborts, each is blamed on `poke` for certain. KIND is the program's argument. An
# attempt whose time slice ends behind `poke` is a zombie: the scheduler finds the conflict, and not its commit.
blames() {
	program=$1 kind=$2
	shift 2
	what="$program, $kind, $*"
	recorded "$tmp/data" --sample=1 -- "$tmp/culprit-$program" "$kind" 100 +RTS "$@"
	same "$what: the program's own count" 100 "$(head -n 1 "$tmp/printed")"
	same "$what: aborts" 100 "$(($(entries_with detail INVALID) + $(entries_with detail ZOMBIE)))"
	same "$what: culprits" "100 certain" "$(grades)"
	same "$what: others than poke" "" "$(others poke)"
}

for collector in -A256k -A64m -xn -G1 -G3 -w; do
	blames threaded MAJOR $collector -N2
	blames single MAJOR $collector
done
blames threaded MAJOR -N2
blames threaded MAJOR -qg -N2
blames single MAJOR -C0.001

# numbers: the two TVars have kept their numbers. Which of them comes first is chance: they have as many aborts, and the
# Haskell thread may have moved to another capability in between.
numbers() {
	jsonq "$tmp/report" '.entries[].objects[].name' >"$tmp/names"
	same "$what: TVars" "TVar #1 of ghc-prim:GHC.Types.I#,TVar #2 of ghc-prim:GHC.Types.I#" "$(sort -u "$tmp/names" | paste -sd ,)"
	same "$what: where they were created" "culprit.hs,culprit.hs" \
		"$(jsonq "$tmp/report" '.entries[0].objects[].block.frames[0].file' | sed 's,.*/,,' | paste -sd ,)"
	same "$what: their aborts" 50,50 "$(jsonq "$tmp/report" '.entries[].objects[].count' | paste -d , "$tmp/names" - |
		awk -F , '{ sum[$1] += $2 } END { for (name in sum) print sum[name] }' | paste -sd ,)"
}

# blames_compacted PROGRAM ARGUMENT...: the same with old TVars, which compaction moves within one piece of memory. That
# it has moved them, in nearly all of the 200 collections, the program tells.
blames_compacted() {
	program=$1
	shift
	blames "$program" OLD "$@"
	moved=$(tail -n 1 "$tmp/printed")
	[ "$moved" -gt 150 ] || fail "$what: the TVar has moved in $moved of 200 collections"
	numbers
}

for program in threaded single; do
	blames_compacted $program -c
	blames_compacted $program -c -G3
	blames_compacted $program -c -A64m
	blames_compacted $program -c -C0.001
	blames_compacted $program -A256k # for comparison: copied
	blames $program MAJOR -c
	blames $program MINOR -c
done
blames_compacted threaded -c -N2
blames_compacted threaded -c -qg -N2
