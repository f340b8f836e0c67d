/* SPDX-License-Identifier: MIT
 *
 * Functions of the test's Haskell program: `reader` and `writer` access TVars, `poke` and `victim` are transactions,
 * and `serve` begins them.
 */
#ifndef GHC_FUNCTIONS_H
#define GHC_FUNCTIONS_H

#include "haskell.h"

#define HASKELL_FUNCTION                     \
	{                                    \
		FAKE_INFO(FAKE_RET_SMALL, 0) \
	}

static const struct haskell_function reader = HASKELL_FUNCTION, writer = HASKELL_FUNCTION, poke = HASKELL_FUNCTION,
				     victim = HASKELL_FUNCTION, serve = HASKELL_FUNCTION;

/* The victim's transaction reads the TVar, in `reader`. */
static inline void victim_reads(const struct haskell *thread, struct hs_tvar *tvar)
{
	haskell_call_begin(thread, &reader);
	haskell_read(thread, tvar);
	haskell_call_end(thread);
}

/* Writes it, in `writer`. */
static inline void victim_writes(const struct haskell *thread, struct hs_tvar *tvar)
{
	haskell_call_begin(thread, &writer);
	haskell_change(thread, tvar);
	haskell_call_end(thread);
}

#endif
