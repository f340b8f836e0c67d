#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the module knows of the objects of the RTS is what the headers of the installed GHC say.

. "$(dirname "$0")/ghc.inc"

cat >"$tmp/layout.c" <<'END'
#include "rts.h"
#include <Rts.h>
#include <DerivedConstants.h>

#define SAME(theirs, theirs_at, ours, ours_at) \
	_Static_assert(offsetof(theirs, theirs_at) == offsetof(struct ours, ours_at), #theirs "." #theirs_at)
SAME(StgTVar, current_value, hs_tvar, value);
SAME(StgTVar, num_updates, hs_tvar, updates);
SAME(StgTRecChunk, prev_chunk, hs_chunk, previous);
SAME(StgTRecChunk, next_entry_idx, hs_chunk, len);
SAME(StgTRecChunk, entries, hs_chunk, entries);
SAME(TRecEntry, tvar, hs_entry, tvar);
SAME(TRecEntry, expected_value, hs_entry, expected);
SAME(TRecEntry, new_value, hs_entry, value);
SAME(struct StgTRecHeader_, enclosing_trec, hs_trec, enclosing);
SAME(struct StgTRecHeader_, current_chunk, hs_trec, chunk);
SAME(struct StgTRecHeader_, state, hs_trec, state);
SAME(StgStack, stack_size, hs_stack, size);
SAME(StgStack, sp, hs_stack, top);
SAME(StgStack, stack, hs_stack, words);
SAME(StgTSO, stackobj, hs_tso, stack);
_Static_assert(offsetof(StgTSO, id) == offsetof(struct hs_tso, id_) + TSO_SHIFT, "StgTSO.id");
_Static_assert(sizeof(StgThreadID) == sizeof(uint64_t), "StgThreadID");
#ifdef HAS_LABEL
_Static_assert(offsetof(StgTSO, label) == offsetof(struct hs_tso, label_) + TSO_SHIFT, "StgTSO.label");
#endif
SAME(StgArrBytes, bytes, hs_bytes, len);
SAME(StgArrBytes, payload, hs_bytes, bytes);
_Static_assert(offsetof(StgTSO, trec) == offsetof(struct hs_tso, trec_) + TSO_SHIFT, "StgTSO.trec");
_Static_assert(sizeof(struct StgTRecHeader_) == sizeof(struct hs_trec), "the mark lies in padding");
_Static_assert(OFFSET_Capability_r == offsetof(struct hs_capability, registers), "BaseReg");
_Static_assert(OFFSET_StgRegTable_rCurrentTSO + OFFSET_Capability_r == offsetof(struct hs_capability, current), "TSO");
_Static_assert(sizeof(TRecEntry) == sizeof(struct hs_entry) + ENTRY_MORE, "entries");
_Static_assert(TREC_CHUNK_NUM_ENTRIES == HS_CHUNK_ENTRIES, "chunks");
_Static_assert(TREC_CONDEMNED == (TRecState)HS_CONDEMNED && TREC_WAITING > TREC_CONDEMNED, "states");
_Static_assert(CONSTR == HS_CONSTR && CONSTR_NOCAF == HS_CONSTR_LAST && AP == HS_AP && PAP == HS_PAP, "types");
_Static_assert(IND == HS_IND && IND_STATIC == HS_IND_STATIC && RET_BCO == HS_RET_BCO, "types");
_Static_assert(RET_BIG == HS_RET_BIG && RET_FUN == HS_RET_FUN && UNDERFLOW_FRAME == HS_UNDERFLOW_FRAME, "types");
_Static_assert(STOP_FRAME == HS_STOP_FRAME && ATOMICALLY_FRAME == HS_ATOMICALLY_FRAME, "types");
_Static_assert(CATCH_RETRY_FRAME == HS_CATCH_RETRY_FRAME && RET_SMALL == HS_RET_SMALL, "types");
_Static_assert(BLACKHOLE == HS_BLACKHOLE && BLOCKING_QUEUE == HS_BLOCKING_QUEUE && TSO == HS_TSO && ARR_WORDS == HS_ARR_WORDS, "types");
_Static_assert(offsetof(StgAtomicallyFrame, code) == 8 && offsetof(StgRetFun, payload) == 24, "frames");
_Static_assert(offsetof(StgInfoTable, code) - offsetof(StgInfoTable, type) == 8, "info tables");
_Static_assert(offsetof(StgInfoTable, code) - offsetof(StgInfoTable, layout) == 16, "info tables");
_Static_assert(sizeof(StgConInfoTable) - offsetof(StgConInfoTable, con_desc) == 24, "constructors");
_Static_assert(BITMAP_SIZE_MASK == 63 && offsetof(StgBCO, bitmap) == 40, "sizes of frames");
END

shift=0 label=
case $(ghc --numeric-version) in
9.10.*) shift=8 label=-DHAS_LABEL ;;
9.6.*) label=-DHAS_LABEL ;;
esac

# compiles ENTRY_MORE FLAG...: the headers of an RTS that is built with these flags say the same.
compiles() {
	more=$1
	shift
	# shellcheck disable=SC2046
	cc -std=gnu11 -fsyntax-only -Iruntimes/ghc/internals -Iruntimes/native \
		$(ghc-pkg field rts include-dirs --simple-output | tr ' ' '\n' | sed 's/^/-I/') -DENTRY_MORE="$more" \
		-DTSO_SHIFT=$shift $label "$@" \
		"$tmp/layout.c" 2>"$tmp/err"
}
compiles 8 -DTHREADED_RTS || fail "threaded: $(cat "$tmp/err")"
compiles 0 || fail "one OS thread: $(cat "$tmp/err")"
# The check can fail.
! compiles 0 -DTHREADED_RTS || fail "entries of the threaded RTS are taken for those of the other one"
