#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program that the module cannot get into, or does not know, runs as it does without it, and one line says why nothing
# was recorded.
#
# Not alone: nothing is recorded.

. "$(dirname "$0")/ghc.inc"

way=preloaded

# refused PROGRAM WORDS: the one line has these words.
refused() {
	program=$1 words=$2
	status=0
	"$stmlog" record -o "$tmp/data" "$tmp/$program" 1 1000 >"$tmp/printed" 2>"$tmp/err" || status=$?
	same "$program: status and output" "0 1000" "$status $(cat "$tmp/printed")"
	same "$program: lines of stderr" 1 "$(wc -l <"$tmp/err")"
	grep -q -F "$words" "$tmp/err" || fail "$program: not '$words': $(cat "$tmp/err")"
	[ ! -e "$tmp/data" ] || fail "$program: there is a recording"
	status=0
	"$stmlog" record -o "$tmp/data" "$tmp/$program" none >"$tmp/printed" 2>"$tmp/err" || status=$?
	same "$program: status of a failure" 1 "$status"
}

haskell threaded bank
for name in stripped foreign; do
	cp "$tmp/bank-threaded" "$tmp/$name"
done

strip "$tmp/stripped"
refused stripped "do not strip it, or link it again with -optl@$PWD/$O/stmlog-ghc.wrap"

# The same instructions, with a bit set that has no meaning in them.
sed -i 's/\x49\x8b\x85\x68\x03/\x4b\x8b\x85\x68\x03/g; s/GHC 9\.[0-9]/GHC 9.7/g' "$tmp/foreign"
refused foreign "build it with GHC 9.0 to 9.6 or 9.10"

# A GHC with which nothing began: it may have its RTS linked in.
cp "$tmp/probe" "$tmp/runghc-9"
"$stmlog" record -o "$tmp/data" "$tmp/runghc-9" 2>"$tmp/err"
grep -q 'no transaction began in this GHCi or runghc, or' "$tmp/err" || fail "no line: $(cat "$tmp/err")"

haskell static bank -optl-static
refused bank-static "statically linked"

# One call more of a function with a hook.
echo 'void stmAbortTransaction(void *, void *); void more(void) { stmAbortTransaction(0, 0); }' >"$tmp/more.c"
haskell calling bank "$tmp/more.c" -optl-Wl,-u,more
"$stmlog" record -o "$tmp/data" "$tmp/bank-calling" 1 1000 >"$tmp/printed" 2>"$tmp/err" || fail "it fails: $(cat "$tmp/err")"
same "output" 1000 "$(cat "$tmp/printed")"
grep -q 'has other calls than that of GHC' "$tmp/err" || fail "no line: $(cat "$tmp/err")"
same "lines beside the reason" 1 "$(wc -l <"$tmp/err")"

# A program without transactions.
cp "$tmp/probe" "$tmp/idle"
"$stmlog" record -o "$tmp/data" "$tmp/idle" 2>"$tmp/err"
grep -q 'no transaction began' "$tmp/err" || fail "no line: $(cat "$tmp/err")"
