/* SPDX-License-Identifier: MIT
 * What merge.c is made of: where something stands in the merge, and how each kind of record is added. */
#ifndef MERGE_PARTS_H
#define MERGE_PARTS_H

#include "merge.h"

/* Of one recording: where its sites and tracebacks are in the merge, once somebody has asked; UINT32_MAX: nobody has.
 */
struct merge_map {
	struct merge *merge;
	const struct recording *recording;
	uint32_t *modules, *sites, *tracebacks;
	uint32_t *modules_by_start; /* of the recording, in this order */
};

void merge_map_init(struct merge_map *map, struct merge *merge, const struct recording *recording);
void merge_map_fini(struct merge_map *map);

/* References, as records of the merge have them. */
uint32_t merge_string(struct merge_map *map, uint32_t string);
uint32_t merge_site(struct merge_map *map, uint32_t site);
uint32_t merge_traceback(struct merge_map *map, uint32_t traceback);

/* The address of an object, moved with the module that it lies in or behind; 0: it means nothing beyond its run. */
uint64_t merge_object(struct merge_map *map, uint64_t address);

void merge_totals(struct merge_map *map);
void merge_threads(struct merge_map *map);
void merge_entries(struct merge_map *map);
void merge_objects(struct merge_map *map, struct stmlog_entry_record *into, const struct stmlog_entry_record *from);
void merge_paths(struct merge_map *map);
void merge_transactions(struct merge_map *map);

static inline void merge_add_numbers(uint64_t *sums, const uint64_t *more, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sums[i] += more[i];
}

#endif
