/* SPDX-License-Identifier: MIT
 *
 * The TVars that the module knows: the labels that the program has given to some, the numbers of those that
 * transactions fight over, and where they are after a collection. The garbage collector moves all that the module
 * remembers by address.
 */
#ifndef GHC_TVARS_H
#define GHC_TVARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <atomic_ops.h>

#include <stmlog/agent.h>

#include "rts.h"

/* ---- labels that the program has given (labelTVar in haskell/StmlogNames.hs) ---- */

/* So many TVars that live have a label; further labels are dropped. */
#define LABELS_MAX 1024
/* Of longer labels the rest is cut off. The NUL is one of the bytes. */
#define LABEL_BYTES 48

/* Labels the TVar, which may have a label. Any thread that holds a capability. */
void labels_set(uintptr_t tvar, const char *label);

/* Copies the TVar's label. Returns false, and sets "", if it has none. Any thread that holds a capability. */
bool labels_find(uintptr_t tvar, char label[LABEL_BYTES]);

/* As objects_visit(), for the TVars with labels. */
void labels_visit(void (*visit)(void *arg, uintptr_t *tvar), void *arg);

/* In a forked child. */
void labels_after_fork(void);

/* ---- numbers ----
 *
 * A TVar has no address for long, since the garbage collector moves it, and no name. What tells something of it is the
 * code for which it was created, and the constructor of its value.
 */

/* Further TVars are not distinguished: their number is 0, "not known". */
#define OBJECTS_MAX 512

/* The number of the TVar, from 1. Any thread that holds a capability. */
uintptr_t objects_number(const struct hs_tvar *tvar);

/* The write of this version of the TVar has caused a futile wake (blocked.h). Returns whether it had caused another one
 * before. Requires that `number` is 0, or that objects_number() has returned it. Any thread that holds a
 * capability. */
bool objects_has_woken(uintptr_t number, uint64_t version);

/* Labels the TVar, which has a number or not. Any thread that holds a capability. */
void objects_label(const struct hs_tvar *tvar, const char *label);

/* The address that recordings have for the TVar with this number; 0 for 0. Different TVars get different words of 8
 * bytes, since reports count all addresses in one such word as one object. */
static inline uintptr_t objects_place(uintptr_t number)
{
	return 8 * number;
}

/* "TVar #3 of ghc-prim:GHC.Types.I#", or "accounts (TVar #3 of ghc-prim:GHC.Types.I#)". Any thread. For struct
 * stmlog_setup. */
bool objects_name(uintptr_t place, char *name, size_t size, void *arg);

/* Where the TVar with this place was created, as the block of memory with this place: it has a traceback of one frame.
 * Returns false if that is not known. Any thread. For struct stmlog_setup. */
bool objects_find_block(uintptr_t place, struct stmlog_block *block, void *arg);

/* Calls the function for the address of each TVar that has a number and has not died. The function may change the
 * address; 0: the TVar has died. Called while no capability runs. */
void objects_visit(void (*visit)(void *arg, uintptr_t *tvar), void *arg);

/* In a forked child. */
void objects_after_fork(void);

/* ---- collections: hooks of functions of the collector, which are called while no capability runs ---- */

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
