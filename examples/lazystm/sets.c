/* SPDX-License-Identifier: MIT
 * The memory of the two sets, which doubles when it is full. */
#include "sets.h"

#include <stdlib.h>

static void *grow(void *array, size_t *cap, size_t size)
{
	size_t more = *cap != 0 ? 2 * *cap : 16;
	void *grown = realloc(array, more * size);
	if (grown != NULL)
		*cap = more;
	return grown;
}

bool sets_grow_reads(struct sets *sets)
{
	struct read *reads = grow(sets->reads, &sets->reads_cap, sizeof *reads);
	if (reads != NULL)
		sets->reads = reads;
	return reads != NULL;
}

bool sets_grow_writes(struct sets *sets)
{
	struct write *writes = grow(sets->writes, &sets->writes_cap, sizeof *writes);
	if (writes != NULL)
		sets->writes = writes;
	return writes != NULL;
}

void sets_fini(struct sets *sets)
{
	free(sets->reads);
	free(sets->writes);
}
