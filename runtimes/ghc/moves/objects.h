/* SPDX-License-Identifier: MIT
 *
 * Numbers for the TVars that transactions fight over: a TVar has no address for long, since the garbage collector moves
 * it, and no name. What tells something of it is the code for which it was created, and the constructor of its value.
 */
#ifndef GHC_OBJECTS_H
#define GHC_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/agent.h>

#include "rts.h"

/* Further TVars are not distinguished: their number is 0, "not known". */
#define OBJECTS_MAX 512

/* The number of the TVar, from 1. Any thread that holds a capability. */
uintptr_t objects_number(const struct hs_tvar *tvar);

/* The write of this version of the TVar has caused a futile wake (blocked.h). Returns whether it had caused another one
 * before. Requires that `number` is 0, or that objects_number() has returned it. Any thread that holds a
 * capability. */
bool objects_has_woken(uintptr_t number, uint64_t version);

/* Labels the TVar, which has a number or not (labels.h). Any thread that holds a capability. */
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

#endif
