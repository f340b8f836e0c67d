/* SPDX-License-Identifier: MIT
 *
 * A Haskell thread whose transaction is `victim`, another one, each on a capability of its own, and the TVar that both
 * access.
 */
#ifndef GHC_TWO_THREADS_H
#define GHC_TWO_THREADS_H

#include "functions.h"

static struct haskell thread, other;
static struct hs_tvar *tvar;

/* New ones, which are in no transaction. */
static inline void begin_threads(void)
{
	thread = haskell_thread();
	other = haskell_thread();
	tvar = fake_tvar();
}

/* New ones, and the first attempt of `victim` begins. */
static inline void begin_attempt(void)
{
	begin_threads();
	haskell_atomically(&thread, &victim);
}

/* The attempt fails, and the next one commits. */
static inline void fail_once(void)
{
	assert_false(haskell_commit(&thread));
	assert_true(haskell_commit(&thread));
}

/* The same, because the other thread has committed `poke`, which writes the TVar. */
static inline void lose_once(void)
{
	haskell_poke(&other, &poke, tvar);
	fail_once();
}

#endif
