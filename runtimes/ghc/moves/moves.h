/* SPDX-License-Identifier: MIT
 *
 * The garbage collector moves all that the module remembers by address. Both functions are hooks of functions of
 * the collector: they are called while no capability runs.
 */
#ifndef GHC_MOVES_H
#define GHC_MOVES_H

#include <stdint.h>

#include <atomic_ops.h>

/* Called once per collection, when all live objects have been copied, and the old copies still tell where to. */
void moves_collected(void);

/* Not 0: since the last collection no Haskell thread has run. Whose transaction sleeps and is ended now is ended by the
 * collector, because nothing is left that could wake it (BlockedIndefinitelyOnSTM). */
extern volatile AO_t moves_have_just_ended;

/* A Haskell thread begins to run. */
static inline void moves_are_over(void)
{
	if (AO_load(&moves_have_just_ended) != 0)
		AO_store(&moves_have_just_ended, 0);
}

/* After that, some collections move the oldest objects once more (option -c of the RTS): the compactor does. It leaves
 * nothing behind that tells where to. Instead it must be told of each slot that holds the address of an object, by
 * announce(user, slot), and stores the new address there. It calls markCapabilities(), once, to be told of the slots of
 * the capabilities. This is the hook of that function: it calls the real one, and announces the module's slots, too. */
void moves_compacting(void (*announce)(void *user, uintptr_t *slot), void *user);

#endif
