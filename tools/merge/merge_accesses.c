/* SPDX-License-Identifier: MIT
 * Keeps the accesses of one run: of the first one of those that have the most. */
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "merge_parts.h"

/* Only these have an address of the program's. */
static bool has_address(uint16_t kind)
{
	return kind >= STMLOG_ACCESS_BEGIN && kind <= STMLOG_ACCESS_WRITE_AFTER_WRITE;
}

/* Code and data are moved along with the modules, so that they have the names that they had. */
static void move(const struct merge_map *map, struct stmlog_access_record *accesses, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (has_address(accesses[i].kind))
			accesses[i].address = merge_address(map, accesses[i].address);
}

void merge_accesses(struct merge_map *map)
{
	const struct recording *recording = map->recording;
	struct merge *merge = map->merge;
	if (recording->access_count <= merge->access_count)
		return;
	free(merge->accesses);
	merge->access_count = recording->access_count;
	merge->accesses = memory_zeroed(merge->access_count, sizeof *merge->accesses);
	memcpy(merge->accesses, recording->accesses, merge->access_count * sizeof *merge->accesses);
	move(map, merge->accesses, merge->access_count);
}
