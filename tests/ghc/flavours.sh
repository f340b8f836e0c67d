#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Programs whose RTS is another one than by default are recorded as exactly: that of -debug, and that of -dynamic, which is
# in a shared library. So are programs that GHC interprets, if its own RTS is in one.

. "$(dirname "$0")/ghc.inc"

dynamic_rts=$(find "$(dirname "$(ghc --print-libdir)")" -name 'libHSrts*_thr_debug-ghc*.so' | head -n 1)

# flavour FLAGS TEST: the test passes with programs that are built with these flags.
flavour() {
	GHC_WAY=preloaded GHC_FLAGS=$1 sh "tests/ghc/$2.sh" >"$tmp/out" 2>&1 || fail "$2.sh with $1: $(cat "$tmp/out")"
}

# counts WHAT COMMITS COMMAND...
counts() {
	what=$1 commits=$2
	shift 2
	recorded "$tmp/data" --sample=1 -- "$@"
	same "$what: commits" "$commits" "$(jsonq "$tmp/report" .totals.commits)"
}

flavour -debug exact
haskell debug bank -debug
counts "-debug, linked with the module" 2001 "$tmp/bank-debug" 1 1000

[ -n "$dynamic_rts" ] || skip "the rest is left out: there are no shared libraries of ghc"
flavour -dynamic culprit
flavour "-dynamic -debug" words

# The module's file for the linker has no effect.
haskell dynamic bank -dynamic
counts "-dynamic, linked with the module" 2001 "$tmp/bank-dynamic" 1 1000
strip "$tmp/bank-dynamic"
counts "-dynamic, stripped" 2001 "$tmp/bank-dynamic" 1 1000

if ldd "$(ghc --print-libdir)/bin/ghc" 2>/dev/null | grep -q libHSrts; then
	counts "interpreted" 2001 runghc tests/ghc/programs/bank.hs 1 1000
fi
