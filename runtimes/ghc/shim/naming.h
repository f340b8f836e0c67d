/* SPDX-License-Identifier: MIT
 *
 * What haskell/StmlogNames.hs calls: it looks for stmlog_ghc_names() by dlsym(), and so a program runs without stmlog,
 * too.
 */
#ifndef GHC_NAMING_H
#define GHC_NAMING_H

#include <stmlog/compiler.h>

/* Gives a label to a TVar. `payload`: the bytes behind the header of a MutableByteArray#, for which Haskell has passed
 * the TVar: its address plus 16. Called by Haskell code, which holds a capability. */
typedef void naming_label(void *payload, const char *label);

/* The program gives names from now on. Returns the function that labels TVars; NULL: nothing is recorded. Any thread.
 */
STMLOG_API naming_label *stmlog_ghc_names(void);

#endif
