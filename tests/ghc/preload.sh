#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The module records programs that were not linked with it as exactly as those that were: counts, culprits, the word of
# each ending.

. "$(dirname "$0")/ghc.inc"

for test in exact culprit words; do
	GHC_WAY=preloaded sh "tests/ghc/$test.sh" >"$tmp/out" 2>&1 || fail "$test.sh: $(cat "$tmp/out")"
done

way=preloaded
haskell threaded many
recorded "$tmp/data" --sample=1 -- "$tmp/many-threaded" children 1000
same "with children: commits" "$(cat "$tmp/printed")" "$(jsonq "$tmp/report" .totals.commits)"

# Below programs of other kinds, to which the module does nothing.
recorded "$tmp/data" --sample=1 -- sh -c 'env "$1" long 10000; true' sh "$tmp/many-threaded"
same "below a shell: commits" "$(cat "$tmp/printed")" "$(jsonq "$tmp/report" .totals.commits)"
LD_PRELOAD=$PWD/$O/libstmlog-ghc.so "$tmp/probe" >"$tmp/out" 2>&1
same "a program without transactions says" "" "$(cat "$tmp/out")"

# Its session opens when the module is loaded; what it warns of is said then, too.
LD_PRELOAD=$PWD/$O/libstmlog-ghc.so STMLOG_OPTIONS=report=none:clock=sundial "$tmp/many-threaded" children 10 \
	>"$tmp/out" 2>"$tmp/err"
same "stdout" "$("$tmp/many-threaded" children 10)" "$(cat "$tmp/out")"
same "stderr" "stmlog: STMLOG_OPTIONS: clock=sundial is not monotonic or tsc; using the default" "$(cat "$tmp/err")"

# Code is not left writable.
cat >"$tmp/Maps.hs" <<'END'
import Control.Concurrent.STM
main :: IO ()
main = (atomically (newTVar "/proc/self/maps") >>= readTVarIO) >>= readFile >>= putStr
END
ghc -v0 -outputdir "$tmp/maps.objects" -o "$tmp/maps" "$tmp/Maps.hs"
recorded "$tmp/data" --sample=1 -- "$tmp/maps"
grep -q 'r-xp .*/maps$' "$tmp/printed" || fail "no code of the program: $(cat "$tmp/printed")"
same "writable code" "" "$(grep ' .wx' "$tmp/printed")"

# A program that was linked with the module has one recording.
way=linked
haskell threaded bank
rm -f "$tmp"/data*
recorded "$tmp/data" --sample=1 -- "$tmp/bank-threaded" 1 1000
same "linked, too: commits" 2001 "$(jsonq "$tmp/report" .totals.commits)"
same "recordings" "$tmp/data" "$(ls -d "$tmp"/data*)"
