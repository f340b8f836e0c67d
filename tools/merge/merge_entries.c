/* SPDX-License-Identifier: MIT
 * Adds up entries of the same key, as the library does with groups (stmlog/timelogs/group.c). Takes some entries at a
 * time, step by step: with many entries most of what a step reads is in no cache of the processor, which loads it for
 * all of them while it does the step before. The result is the same as one entry after the other. */
#include <string.h>

#include "merge_parts.h"

struct key {
	uint32_t reason, contention, detail, local, remote;
};

static struct stmlog_entry_record begin(const struct key *key, const struct stmlog_entry_record *from)
{
	return (struct stmlog_entry_record){
		.reason = key->reason,
		.contention = key->contention,
		.detail = key->detail,
		.local = key->local,
		.remote = key->remote,
		.grade = from->grade,
		.local_thread = from->local_thread,
		.remote_thread = from->remote_thread,
#define STMLOG_FIGURE(name, MERGE, WHOLE, JSON, doc) .name = STMLOG_FIGURE_NONE_##MERGE,
#include <stmlog/figures.def>
	};
}

static void add(struct stmlog_entry_record *into, const struct stmlog_entry_record *from)
{
	if (from->grade < into->grade)
		into->grade = from->grade;
	if (from->longest_ns > into->longest_ns) {
		into->local_thread = from->local_thread;
		into->remote_thread = from->remote_thread;
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
struct guest {
	const struct stmlog_entry_record *from;
	struct merge_awaited local, remote;
	struct key key;
	uint32_t hash, site;
	struct merge_objects objects;
	size_t number; /* of its record in the merge */
	bool is_new;
};

enum { GUESTS = 32, CACHE_LINE = 64 };

/* References are translated in the order in which they stand in the entries: the numbers of the merge follow it. */
static void translate(struct merge_map *map, struct guest *guest, const struct stmlog_entry_record *from)
{
	guest->from = from;
	guest->key = (struct key){from->reason, from->contention, merge_string(map, from->detail), 0, 0};
	guest->local = merge_traceback_begin(map, from->local);
	guest->remote = merge_traceback_begin(map, from->remote);
	guest->site = merge_site(map, from->site);
	guest->objects = merge_objects_of(map, from);
}

static void finish_key(struct merge_map *map, struct guest *guest)
{
	guest->key.local = merge_traceback_end(map, &guest->local);
	guest->key.remote = merge_traceback_end(map, &guest->remote);
	guest->hash = unique_expect(&map->merge->entries.keys, &guest->key, sizeof guest->key);
}

static void find(struct merge_map *map, struct guest *guest)
{
	struct keyed *entries = &map->merge->entries;
	guest->number = keyed_find_expected(entries, &guest->key, sizeof guest->key, guest->hash, &guest->is_new);
	for (size_t at = 0; at < entries->size; at += CACHE_LINE)
		__builtin_prefetch((const char *)keyed_at(entries, guest->number) + at);
}

static void merge_entry(struct merge_map *map, const struct guest *guest)
{
	const struct stmlog_entry_record *from = guest->from;
	struct stmlog_entry_record *into = keyed_at(&map->merge->entries, guest->number);
	if (guest->is_new) { /* NOLINT(clang-analyzer-core.uninitialized.Branch): find() was called with each */
		*into = begin(&guest->key, from);
		into->site = guest->site;
	}
	into->site = into->site == guest->site ? guest->site : STMLOG_NO_SITE;
	add(into, from);
	add_times(into, merge_time(map->recording, from->first_ns), merge_time(map->recording, from->last_ns),
		guest->is_new);
	merge_objects_add(into, &guest->objects);
}

static void merge_some(struct merge_map *map, const struct stmlog_entry_record *entries, size_t len)
{
	struct guest guests[GUESTS];
	for (size_t i = 0; i < len; i++) {
		merge_traceback_expect(map, entries[i].local);
		merge_traceback_expect(map, entries[i].remote);
	}
	for (size_t i = 0; i < len; i++) {
		merge_traceback_expect_sites(map, entries[i].local);
		merge_traceback_expect_sites(map, entries[i].remote);
	}
	for (size_t i = 0; i < len; i++)
		translate(map, &guests[i], &entries[i]);
	for (size_t i = 0; i < len; i++)
		finish_key(map, &guests[i]);
	for (size_t i = 0; i < len; i++)
		find(map, &guests[i]);
	for (size_t i = 0; i < len; i++)
		merge_entry(map, &guests[i]);
	merge_tracebacks_ended(map);
}

void merge_entries(struct merge_map *map)
{
	const struct recording *recording = map->recording;
	keyed_reserve(&map->merge->entries, recording->entry_count, sizeof(struct key));
	for (size_t done = 0; done < recording->entry_count; done += GUESTS) {
		size_t left = recording->entry_count - done;
		merge_some(map, recording->entries + done, left < GUESTS ? left : GUESTS);
	}
}
