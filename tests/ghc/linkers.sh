#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The file for the linker works with each linker, as it is installed, and in a program without symbols.
#
# Not alone: counts are exact, whenever threads meet.

. "$(dirname "$0")/ghc.inc"

make -s install PREFIX="$tmp/prefix" DESTDIR= >"$tmp/out" 2>&1 || fail "make install: $(cat "$tmp/out")"
links() {
	ghc -v0 -O -threaded -outputdir "$tmp/objects" -o "$tmp/$1" "-optl@$tmp/prefix/lib/stmlog/stmlog-ghc.wrap" \
		"-optl-fuse-ld=$1" tests/ghc/programs/bank.hs >"$tmp/out" 2>&1 || fail "$1: $(cat "$tmp/out")"
	strip "$tmp/$1"
	recorded "$tmp/data" --sample=1 -- "$tmp/$1" 1 1000
	same "$1: commits" 2001 "$(jsonq "$tmp/report" .totals.commits)"
}
for linker in bfd gold; do
	command -v "ld.$linker" >/dev/null || continue
	links "$linker"
done
