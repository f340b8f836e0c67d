/* SPDX-License-Identifier: MIT
 *
 * Where TVars are created. The RTS has one function that makes a TVar, stg_newTVarzh. Its last step but one sets the
 * TVar's count of updates to 0. The module changes this instruction in memory, so that the count's upper bits become
 * the address of the code that goes on with the new TVar (hs_created_at()). This costs a creation two jumps, and
 * nothing has to follow the TVar.
 */
#ifndef GHC_CREATION_H
#define GHC_CREATION_H

#include <stdbool.h>
#include <stdint.h>

#include "rts.h"

/* How many bytes of the function are looked at. */
#define CREATION_BYTES 64

/* Changes the function stg_newTVarzh. Returns false, and changes nothing, if it has not the instructions that are
 * known, or if the kernel lets nobody change code. Called while no other thread runs the function. */
bool creation_note(unsigned char *new_tvar);

/* The code for which the TVar was created: the frame to which stg_newTVarzh returned. 0: not known; or frames of the
 * RTS, or code that is not the program's own. Any thread. */
uintptr_t creation_of(const struct hs_tvar *tvar);

#endif
