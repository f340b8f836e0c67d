/* SPDX-License-Identifier: MIT
 *
 * The garbage collector moves all that the module remembers by address. The two functions are hooks of the collector's
 * own: they are called while no capability runs.
 */
#ifndef GHC_MOVES_H
#define GHC_MOVES_H

/* All that lives has been copied, and the old copies still tell where to. Once per collection. */
void moves_collected(void);

/* All that lives is about to be moved once more, untold where to (the option -c of the RTS). */
void moves_compact(void *a, void *b, void *c, void *d);

#endif
