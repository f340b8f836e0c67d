#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Programs with the RTS for -debug are recorded as exactly as usual ones. So are programs linked with -dynamic, whose RTS is
# a shared library, and programs that GHC interprets, if it was linked with -dynamic itself.

. "$(dirname "$0")/ghc.inc"

dynamic_rts=$(find "$(dirname "$(ghc --print-libdir)")" -name 'libHSrts*_thr_debug-ghc*.so' | head -n 1)

# counts WHAT COMMAND...: 2,001 commits.
counts() {
	what=$1
	shift
	recorded "$tmp/data" --sample=1 -- "$@"
	same "$what: commits" 2001 "$(jsonq "$tmp/report" .totals.commits)"
}

# blames KIND FLAG...: the culprit of each of 100 aborts is certain while collections move the TVars (culprit.sh).
blames() {
	kind=$1
	shift
	recorded "$tmp/data" --sample=1 -- "$tmp/culprit-threaded" "$kind" 100 +RTS "$@"
	same "$flavour, $kind: aborts" 100 "$(entries_with detail INVALID)"
	same "$flavour, $kind: culprits" "100 certain" "$(grades)"
	same "$flavour, $kind: others than poke" "" "$(others poke)"
}

# flavour FLAG...: GHC's flags.
flavour() {
	flavour=$*
	haskell single bank "$@"
	counts "$flavour" "$tmp/bank-single" 1 1000
	haskell threaded culprit "$@"
	blames MAJOR -N2
	blames OLD -c
}

way=preloaded
flavour -debug
way=linked
haskell debug bank -debug
counts "-debug, linked with the module" "$tmp/bank-debug" 1 1000

[ -n "$dynamic_rts" ] || skip "the rest is left out: there are no shared libraries of ghc"
way=preloaded
flavour -dynamic
case $(ghc --numeric-version) in
9.0.*) flavour -dynamic -debug ;;
esac

# The module's file for the linker has no effect.
way=linked
haskell dynamic bank -dynamic
counts "-dynamic, linked with the module" "$tmp/bank-dynamic" 1 1000
strip "$tmp/bank-dynamic"
counts "-dynamic, stripped" "$tmp/bank-dynamic" 1 1000

if ldd "$(ghc --print-libdir)/bin/ghc" 2>/dev/null | grep -q libHSrts; then
	counts "interpreted" runghc tests/ghc/programs/bank.hs 1 1000
fi
