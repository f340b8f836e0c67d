/* SPDX-License-Identifier: MIT
 * Labels TVars, and looks for the names of transactions from the first call on. */
#include "naming.h"

#include <errno.h>

#include "hooks.h"
#include "objects.h"
#include "transaction_name.h"

/* GHC passes arrays of bytes to C by the address behind their header. */
#define HEADER_OF_BYTES 16

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
