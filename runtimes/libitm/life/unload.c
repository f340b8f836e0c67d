/* SPDX-License-Identifier: MIT
 * The hook of dlclose(): before a module is unloaded, the library remembers which modules are loaded, so that addresses
 * in it keep their names. */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include <stmlog/agent.h>

#include "agent.h"
#include "entries.h"

STMLOG_API int dlclose(void *handle);

int dlclose(void *handle)
{
	int saved = errno;
	int (*real)(void *);
	void *found = itm_real("dlclose");
	memcpy(&real, &found, sizeof real);
	if (AO_load(&itm_agent.has_seen))
		stmlog_keep_modules();
	errno = saved;
	return real(handle);
}
