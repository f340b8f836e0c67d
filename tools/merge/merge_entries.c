/* SPDX-License-Identifier: MIT
 * Adds up entries of the same key, as the library does with groups (stmlog/timelogs/group.c). Takes some entries at a
 * time, step by step: with many entries most of what a step reads is in no cache of the processor, which loads it for
 * all of them while it does the step before. The result is the same as one entry after the other. */

#include "check.h"
#include "merge_parts.h"

struct key {
	uint32_t reason, contention, detail, local, remote;
};

static struct stmlog_entry_record begin(
	const struct merge_map *map, const struct key *key, const struct stmlog_entry_record *from)
{
	return (struct stmlog_entry_record){
		.reason = key->reason,
		.contention = key->contention,
		.detail = key->detail,
		.local = key->local,
		.remote = key->remote,
		.grade = from->grade,
		.local_thread = merge_thread_number(map, from->local_thread),
		.remote_thread = merge_thread_number(map, from->remote_thread),
#define STMLOG_FIGURE(name, MERGE, WHOLE, JSON, doc) .name = STMLOG_FIGURE_NONE_##MERGE,
#include <stmlog/figures.def>
	};
}

static uint16_t green_of(const struct merge_map *map, uint16_t number)
{
	return number != 0 && number <= map->recording->green_count ? map->green[number - 1] : 0;
}

static void add(const struct merge_map *map, struct stmlog_entry_record *into, const struct stmlog_entry_record *from)
{
	if (from->grade < into->grade)
		into->grade = from->grade;
	if (from->longest_ns > into->longest_ns) {
		into->local_green = green_of(map, from->local_green);
		into->remote_green = green_of(map, from->remote_green);
		into->local_thread = merge_thread_number(map, from->local_thread);
		into->remote_thread = merge_thread_number(map, from->remote_thread);
	}
#define STMLOG_FIGURE(name, MERGE, WHOLE, JSON, doc) into->name = STMLOG_FIGURE_##MERGE(into->name, from->name);
#include <stmlog/figures.def>
}

static void add_times(struct stmlog_entry_record *into, uint64_t first_ns, uint64_t last_ns, bool is_new)
{
	if (is_new || merge_is_earlier(first_ns, into->first_ns))
		into->first_ns = first_ns;
	if (is_new || merge_is_earlier(into->last_ns, last_ns))
		into->last_ns = last_ns;
}

/* An entry on its way into the merge. */
struct incoming {
	const struct stmlog_entry_record *from;
	struct merge_translation local, remote;
	struct key key;
	uint32_t hash, site;
	struct merge_objects objects;
	size_t number; /* of its record in the merge */
	bool is_new;
};

enum { BATCH_LEN = 32, CACHE_LINE = 64 };

/* References are translated in the order in which they stand in the entries: the numbers of the merge follow it. */
static void translate(struct merge_map *map, struct incoming *incoming, const struct stmlog_entry_record *from)
{
	incoming->from = from;
	incoming->key = (struct key){from->reason, from->contention, merge_string(map, from->detail), 0, 0};
	incoming->local = merge_traceback_begin(map, from->local);
	incoming->remote = merge_traceback_begin(map, from->remote);
	incoming->site = merge_site(map, from->site);
	incoming->objects = merge_objects_of(map, from);
}

static void finish_key(struct merge_map *map, struct incoming *incoming)
{
	incoming->key.local = merge_traceback_end(map, &incoming->local);
	incoming->key.remote = merge_traceback_end(map, &incoming->remote);
	incoming->hash = unique_prefetch(&map->merge->entries.keys, &incoming->key, sizeof incoming->key);
}

static void find(struct merge_map *map, struct incoming *incoming)
{
	struct keyed *entries = &map->merge->entries;
	incoming->number =
		keyed_find_prefetched(entries, &incoming->key, sizeof incoming->key, incoming->hash, &incoming->is_new);
	for (size_t at = 0; at < entries->size; at += CACHE_LINE)
		__builtin_prefetch((const char *)keyed_at(entries, incoming->number) + at);
}

static void merge_entry(struct merge_map *map, const struct incoming *incoming)
{
	const struct stmlog_entry_record *from = incoming->from;
	struct stmlog_entry_record *into = keyed_at(&map->merge->entries, incoming->number);
	if (incoming->is_new) { /* NOLINT(clang-analyzer-core.uninitialized.Branch): find() was called with each */
		*into = begin(map, &incoming->key, from);
		into->site = incoming->site;
	}
	into->site = into->site == incoming->site ? incoming->site : STMLOG_NO_SITE;
	add(map, into, from);
	const struct merge_info *info = &map->merge->info;
	add_times(into, merge_time(info, map->recording, from->first_ns),
		merge_time(info, map->recording, from->last_ns), incoming->is_new);
	merge_objects_add(into, &incoming->objects);
}

static void merge_some(struct merge_map *map, const struct stmlog_entry_record *entries, size_t len)
{
	struct incoming batch[BATCH_LEN];
	for (size_t i = 0; i < len; i++) {
		merge_traceback_prefetch(map, entries[i].local);
		merge_traceback_prefetch(map, entries[i].remote);
	}
	for (size_t i = 0; i < len; i++) {
		merge_traceback_prefetch_sites(map, entries[i].local);
		merge_traceback_prefetch_sites(map, entries[i].remote);
	}
	for (size_t i = 0; i < len; i++)
		translate(map, &batch[i], &entries[i]);
	for (size_t i = 0; i < len; i++)
		finish_key(map, &batch[i]);
	for (size_t i = 0; i < len; i++)
		find(map, &batch[i]);
	for (size_t i = 0; i < len; i++)
		merge_entry(map, &batch[i]);
	merge_tracebacks_ended(map);
}

void merge_entries(struct merge_map *map)
{
	const struct recording *recording = map->recording;
	REQUIRES(map->green != NULL);
	keyed_reserve(&map->merge->entries, recording->entry_count, sizeof(struct key));
	for (size_t done = 0; done < recording->entry_count; done += BATCH_LEN) {
		size_t left = recording->entry_count - done;
		merge_some(map, recording->entries + done, left < BATCH_LEN ? left : BATCH_LEN);
	}
}
