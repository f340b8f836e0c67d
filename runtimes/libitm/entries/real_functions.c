/* SPDX-License-Identifier: MIT
 * Of a preloaded agent: the loader knows who comes after it. */
#include "real_functions.h"

#include <dlfcn.h>
#include <stddef.h>

void *itm_real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* Next after us in the program's scope; or, where only a plugin loaded libitm, there. */
void *itm_real_of_libitm(const char *name)
{
	void *found = itm_real(name);
	if (found != NULL)
		return found;
	void *library = dlopen("libitm.so.1", RTLD_LAZY | RTLD_NOLOAD);
	if (library == NULL)
		library = dlopen("libitm.so.1", RTLD_LAZY);
	return library != NULL ? dlsym(library, name) : NULL;
}
