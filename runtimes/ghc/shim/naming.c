/* SPDX-License-Identifier: MIT
 * Labels TVars, and looks for the names of transactions from the first call on. haskell/StmlogNames.hs looks for
 * stmlog_ghc_names() by dlsym(), and so a program runs without stmlog, too. */
#include <errno.h>

#include <stmlog/compiler.h>

#include "hooks.h"
#include "tvars.h"
#include "walk.h"

/* GHC passes arrays of bytes to C by the address behind their header. */
#define HEADER_OF_BYTES 16

/* Gives a label to a TVar. `payload`: the bytes behind the header of a MutableByteArray#, for which Haskell has passed
 * the TVar: its address plus 16. Called by Haskell code, which holds a capability. */
typedef void naming_label(void *payload, const char *label);

/* The program gives names from now on. Returns the function that labels TVars; NULL: nothing is recorded. Any thread.
 */
STMLOG_API naming_label *stmlog_ghc_names(void);

static void label(void *payload, const char *text)
{
	int saved = errno;
	objects_label((const struct hs_tvar *)(const void *)((const char *)payload - HEADER_OF_BYTES), text);
	errno = saved;
}

naming_label *stmlog_ghc_names(void)
{
	if (ghc_hooks.start != hook_start)
		return NULL;
	transaction_names = true;
	return label;
}
