/* SPDX-License-Identifier: MIT
 * The connection to libstmlog-objects.so, which remembers allocations. `record --objects` preloads it together with the
 * agent. References to its functions are weak: without it they are NULL, and no blocks are known. */
#include "life.h"

#include "objects.h"
#include "warning.h"

#pragma weak stmlog_objects_watch
#pragma weak stmlog_objects_find
#pragma weak stmlog_objects_count

static bool is_there(void)
{
	return &stmlog_objects_watch != NULL && &stmlog_objects_find != NULL && &stmlog_objects_count != NULL;
}

static bool is_used;

void itm_objects_use(struct stmlog_setup *setup)
{
	if (!is_there())
		return;
	is_used = stmlog_objects_watch();
	if (is_used)
		setup->find_block = stmlog_objects_find;
	else
		native_warn("--objects: the program is built with a sanitizer, which allocates memory in its own way; "
			    "heap data is not named");
}

void itm_objects_set_facts(void)
{
	if (!is_used)
		return;
	struct objects_counts counts = stmlog_objects_count();
	stmlog_set_fact("blocks_missing", counts.missing);
	stmlog_set_fact("blocks_forgotten", counts.forgotten);
}
