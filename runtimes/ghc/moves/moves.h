/* SPDX-License-Identifier: MIT
 *
 * The garbage collector moves all that the module remembers by address. The two functions are hooks of the collector's
 * own: they are called while no capability runs.
 */
#ifndef GHC_MOVES_H
#define GHC_MOVES_H

#include <stdint.h>

/* Called once per collection, when all live objects have been copied, and the old copies still tell where to. */
void moves_collected(void);

/* After that, some collections move the oldest objects once more (option -c of the RTS), and leave nothing behind that
 * tells where to. In place of that the compactor is told of each slot that holds the address of an object, and stores
 * the new address there. For the slots of the capabilities it calls the function that stands behind this one, once;
 * `announce` is its own. */
void moves_compacting(void (*announce)(void *user, uintptr_t *slot), void *user);

#endif
