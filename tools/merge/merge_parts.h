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
	uint16_t *green;            /* set by merge_green(); entries have these numbers, from 1 on */
	uint32_t *modules_by_start; /* ordinals of the recording's modules, in the order of their addresses */
	uint32_t *words;            /* tracebacks with translated sites, between the two steps */
	size_t words_len, words_cap;
};

/* A traceback between the two steps of its translation. */
struct merge_translation {
	uint32_t traceback; /* of the recording */
	uint32_t hash;
	size_t at, len; /* among the words; len 0: it is translated already */
};

void merge_map_init(struct merge_map *map, struct merge *merge, const struct recording *recording);
void merge_map_fini(struct merge_map *map);

/* The reference of a text in the merge. A new text is added. */
uint32_t merge_text(struct merge *merge, const char *text);

/* Each translates a reference of the recording. */
uint32_t merge_string(struct merge_map *map, uint32_t string);
uint32_t merge_site(struct merge_map *map, uint32_t site);
uint32_t merge_traceback(struct merge_map *map, uint32_t traceback);

/* merge_traceback() in two steps, so that some tracebacks are looked up at a time (dictionary.h). Each is begun, then
 * each is ended, in the same order. Numbers come out as if each had been ended at once. */
struct merge_translation merge_traceback_begin(struct merge_map *map, uint32_t traceback);
uint32_t merge_traceback_end(struct merge_map *map, const struct merge_translation *translation);

/* To be called once all that were begun have ended. */
static inline void merge_tracebacks_ended(struct merge_map *map)
{
	map->words_len = 0;
}

/* Prefetch for merge_traceback_begin(): first where the traceback's words are, then, in a second call, the words. */
void merge_traceback_prefetch(const struct merge_map *map, uint32_t traceback);
void merge_traceback_prefetch_sites(const struct merge_map *map, uint32_t traceback);

/* The address of an object, moved along with the module that it lies in or behind; 0: the address means nothing in
 * other runs. */
uint64_t merge_object(struct merge_map *map, uint64_t address);

void merge_totals(struct merge_map *map);
void merge_threads(struct merge_map *map);
void merge_green(struct merge_map *map);
void merge_own_work(struct merge_map *map);
void merge_labels(struct merge_map *map);
/* Requires that merge_green() has been called. */
void merge_entries(struct merge_map *map);
void merge_paths(struct merge_map *map);
void merge_transactions(struct merge_map *map);
void merge_blocked(struct merge_map *map);

/* The number in the merge of a thread of the recording; 0: it has none. */
uint32_t merge_thread_number(const struct merge_map *map, uint32_t id);

void merge_open(struct merge_map *map);

/* To be called last: threads of the next recording get numbers above those of this one. */
void merge_processes(struct merge_map *map);

/* At the end: until then the program of a process is its number among the programs. */
void merge_name_programs(struct merge *merge);

#endif
