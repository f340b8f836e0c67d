#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The scenes of tests/cli/scenes.sh with a Haskell program, whose functions in C call Haskell for each transaction: it
# ends as without the module, and what was recorded is whole. make matrix plays them many times.
#
# The RTS makes system calls itself when the program ends, and reads the clock: so most scenes of filters end by a
# signal without the module, too. Left out are the scenes of threads, which need libitm, and those that hang in the RTS
# behind a filter without the module.
# usage: sh tests/ghc/scenes.sh [ROUNDS]

. "$(dirname "$0")/ghc.inc"

agent=$PWD/$O/libstmlog-ghc.so
. tests/cli/scenes.inc

# The RTS's timer would end the program when its descriptor is closed.
GHCRTS=-V0
export GHCRTS

# poll() fails if no descriptor is allowed. The RTS says so if it happens to poll between the limit and the end: in 2 of
# 300 runs, without the module and with it.
by_chance='/: c_poll: invalid argument /d; /: ioManagerDie: write: /d'

# scenes_of KIND: links these scenes with Haskell, without the module and with it.
scenes_of() {
	for source in "scenes_$1" support/scenes; do
		cc -std=gnu11 -D_GNU_SOURCE -DHASKELL -Dmain=scenes_play -O2 -Itests/programs/support -c \
			-o "$tmp/${source##*/}.o" "tests/programs/$source.c" || fail "$source does not compile"
	done
	for form in bare threaded; do
		haskell "$form" scenes "$tmp/scenes_$1.o" "$tmp/scenes.o"
		mkdir -p "$tmp/of-$form"
		mv "$tmp/scenes-$form" "$tmp/of-$form/$1"
	done
}

is_left_out() {
	case $1 in few-calls-of-threads | few-calls-and-a-child | no-clock-strict* | mmap-refused) ;; *) return 1 ;; esac
}

# play_haskell KIND SCENE
play_haskell() {
	! is_left_out "$2" || return 0
	play "$tmp/of-bare/$1" "$2"
	compare "$2, linked" "$stmlog" record --sample=1 --no-report -o "$tmp/data/file" -- "$tmp/of-threaded/$1" "$2"
	scenes=$((scenes + 1))
}

for kind in process scarce filter; do
	scenes_of $kind
done
for round in $(seq "${1:-1}"); do
	scenes=0
	for kind in process scarce filter; do
		for scene in $("$tmp/of-bare/$kind" --list); do
			play_haskell $kind "$scene"
		done
	done
	[ $wrongs -eq 0 ] || fail "round $round: $wrongs of $((4 * scenes)) differ"
done
