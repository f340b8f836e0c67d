/* SPDX-License-Identifier: MIT
 * The parts of merge.c: translating references of a recording to those of the merge, and adding each kind of record. */
#ifndef MERGE_PARTS_H
#define MERGE_PARTS_H

#include "merge.h"

/* For the references of one recording, those of the merge. Sites and tracebacks are translated when they are first
 * needed; UINT32_MAX: not yet. */
struct merge_map {
	struct merge *merge;
	const struct recording *recording;
	uint32_t *modules, *sites, *tracebacks;
	uint32_t *modules_by_start; /* ordinals of the recording's modules, in the order of their addresses */
};

void merge_map_init(struct merge_map *map, struct merge *merge, const struct recording *recording);
void merge_map_fini(struct merge_map *map);

/* Each translates a reference of the recording. */
uint32_t merge_string(struct merge_map *map, uint32_t string);
uint32_t merge_site(struct merge_map *map, uint32_t site);
uint32_t merge_traceback(struct merge_map *map, uint32_t traceback);

/* The address of an object, moved along with the module that it lies in or behind; 0: the address means nothing in
 * other runs. */
uint64_t merge_object(struct merge_map *map, uint64_t address);

void merge_totals(struct merge_map *map);
void merge_threads(struct merge_map *map);
void merge_entries(struct merge_map *map);
void merge_objects(struct merge_map *map, struct stmlog_entry_record *into, const struct stmlog_entry_record *from);
void merge_paths(struct merge_map *map);
void merge_transactions(struct merge_map *map);

#endif
