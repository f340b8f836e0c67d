#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/tutorial.md is true: its commands, copied from the text and run in an empty folder, print what the text shows, apart
# from figures. Its excerpt of cache.c is in cache.c, and its patch applies.
# First, made-up outputs show that what the text does not show, or shows and is not there, is a fault.
#
# Alone: its conflicts come by themselves.

. "$(dirname "$0")/cli.inc"
. tests/cli/document.inc

document=$PWD/docs/tutorial.md

# agrees SHOWN OUTPUT, differs SHOWN OUTPUT: whether these texts, with "\n" in them, are the same apart from figures.
# shellcheck disable=SC2059 # the texts have their own "\n"
agrees() {
	printf "$1" >"$tmp/left"
	printf "$2" >"$tmp/right"
	compare "$tmp/left" "$tmp/right" >"$tmp/said" || fail "'$1' should be '$2': $(cat "$tmp/said")"
}
# shellcheck disable=SC2059
differs() {
	printf "$1" >"$tmp/left"
	printf "$2" >"$tmp/right"
	! compare "$tmp/left" "$tmp/right" >"$tmp/said" || fail "'$1' should not be '$2'"
}

agrees 'one\n...\nthree\n' 'one\ntwo\nthree\n'
agrees 'one\n...\n' 'one\n'
agrees '...\ntwo\nthree\n' 'one\ntwo\none\ntwo\nthree\n'
agrees 'one and...\n' 'one and two\n'
agrees '> ~ 1.5 ms (1.2 - 1.9 ms)  3 %%  of it\n' '20 ns   few   of it\n'
agrees 'total: 2 ns -> 1.3 us, from 0, p 1e-05\n' 'total: 0 ns -> 7 s, +1000.4 %%, p 0.0001\n'
agrees '5.1 %% of the attempts abort\n' '1 attempt in 12 aborts\n'
differs 'cache.c:52 put_first\n' 'cache.c:53 put_first\n'
differs 'one\nthree\n' 'one\ntwo\nthree\n'
differs 'one\n...\nthree\n' 'one\ntwo\n'
differs 'three\n...\none\n' 'one\ntwo\nthree\n'
differs 'one\n' 'one\ntwo\n'
differs '' 'one\n'
differs '3 aborts\n' 'no aborts\n'
claim "what an output does not have, and what is not shown of it, is found"

mkdir "$tmp/empty"
cp docs/cache.c "$tmp/empty"
excerpts c docs/cache.c
claim "the excerpt is in the program"

save_patch "$tmp/empty"
run_commands "$tmp/empty" 10
claim "$count commands print what the tutorial shows"
