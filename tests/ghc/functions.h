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

/* A call by >>=, which goes on with a new closure of this code: mov 8(%rbp), %rbx; add $16, %rbp; jmp. */
static inline void bind_begin(struct hs_stack *stack, const struct fake_info *next)
{
	static const struct fake_info bind = {
		.type = FAKE_RET_SMALL, .layout = 1, .code = "\x48\x8b\x5d\x08\x48\x83\xc5\x10\xe9"};
	fake_push(stack, (const uintptr_t[2]){fake_info(&bind), (uintptr_t)fake_closure(next, 0, NULL)}, 2);
}

static inline void bind_end(struct hs_stack *stack)
{
	fake_pop(stack, 2);
}

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
