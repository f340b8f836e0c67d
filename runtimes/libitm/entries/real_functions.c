/* SPDX-License-Identifier: MIT
 * The real functions behind those of a preloaded library: the loader knows which come after it. */
#include "entries.h"

#include <dlfcn.h>
#include <stddef.h>

const bool itm_is_preloaded = true;

static const char libitm[] = "libitm.so.1";

void *itm_real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

void *itm_real_of_libitm(const char *name)
{
	void *found = itm_real(name);
	void *library = found == NULL ? dlopen(libitm, RTLD_LAZY) : NULL;
	return library != NULL ? dlsym(library, name) : found;
}
