/* SPDX-License-Identifier: MIT
 * The connection to libstmlog-objects.so, which remembers allocations. `record --objects` preloads it together with the
 * agent. References to its functions are weak: without it they are NULL, and no blocks are known. */
#include "life.h"

#include "objects.h"

#pragma weak stmlog_objects_watch
#pragma weak stmlog_objects_find
#pragma weak stmlog_objects_count

static bool is_there(void)
{
	return &stmlog_objects_watch != NULL && &stmlog_objects_find != NULL && &stmlog_objects_count != NULL;
}

void itm_objects_use(struct stmlog_setup *setup)
{
	if (!is_there())
		return;
	setup->find_block = stmlog_objects_find;
	stmlog_objects_watch();
}

void itm_objects_set_facts(void)
{
	if (!is_there())
		return;
	struct objects_counts counts = stmlog_objects_count();
	stmlog_set_fact("blocks_missing", counts.missing);
	stmlog_set_fact("blocks_forgotten", counts.forgotten);
}
