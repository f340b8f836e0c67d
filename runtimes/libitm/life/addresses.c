/* SPDX-License-Identifier: MIT
 *
 * What the library has to know of addresses, to name them in reports: the program's labels, modules that are unloaded,
 * and blocks of memory.
 */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include <stmlog/agent.h>
#include <stmlog/label.h>

#include "agent.h"
#include "entries.h"
#include "life.h"
#include "objects.h"
#include "environment.h"

/* ---- labels ---- */

/* The agent has a function of its own for the program's labels, since the program may have a libstmlog as well. */
STMLOG_API void stmlog_label_itm(const void *address, size_t size, const char *text)
{
	stmlog_label_on(address, size, text);
}

/* ---- modules ---- */

STMLOG_API int dlclose(void *handle);

/* Before a module is unloaded, the library remembers which modules are loaded, so that addresses in it keep their
 * names. */
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

/* ---- blocks ---- */

/* libstmlog-objects.so remembers allocations. `record --objects` preloads it together with the agent. References to its
 * functions are weak: without it they are NULL, and no blocks are known. */
#pragma weak stmlog_objects_watch
#pragma weak stmlog_objects_find
#pragma weak stmlog_objects_count

static bool has_objects(void)
{
	return &stmlog_objects_watch != NULL && &stmlog_objects_find != NULL && &stmlog_objects_count != NULL;
}

static bool uses_objects;

void itm_objects_use(struct stmlog_setup *setup)
{
	if (!has_objects())
		return;
	uses_objects = stmlog_objects_watch();
	if (uses_objects)
		setup->find_block = stmlog_objects_find;
	else
		native_warn("--objects: the program is built with a sanitizer, which allocates memory in its own way; "
			    "heap data is not named");
}

void itm_objects_set_facts(void)
{
	if (!uses_objects)
		return;
	struct objects_counts counts = stmlog_objects_count();
	stmlog_set_fact("blocks_missing", counts.missing);
	stmlog_set_fact("blocks_forgotten", counts.forgotten);
}
