/* SPDX-License-Identifier: MIT
 * Adds up entries of the same key, as the library does with groups (stmlog/timelogs/group.c), and their most
 * frequent objects.
 *
 * Reads some entries at a time, step by step: with many entries, nearly all that a step reads is in no cache of the
 * processor, which loads it for all of them while it does the step before. The result is the same as that of one
 * entry after the other. */
#include "check.h"
#include "merge_parts.h"

struct key {
	uint32_t reason, contention, detail, local, remote;
};

/* The objects of an entry, with names and addresses of the merge. */
struct merge_object {
	uint64_t address, other, count;
	uint32_t name;
};
enum { MERGE_OBJECTS = sizeof((struct stmlog_entry_record *)NULL)->object_names / sizeof(uint32_t) };
struct merge_objects {
	struct merge_object object[MERGE_OBJECTS];
};

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

/* Objects in order, the most frequent first. */
struct object_set {
	struct merge_object object[2 * MERGE_OBJECTS];
	size_t len;
};

/* ---- objects ----
 * Merges the most frequent objects of two entries, as the library does (stmlog/timelogs/group.c): adds their counts,
 * then subtracts the count of the fifth from each, so that four are left, and one of count 0 where none is. Objects of
 * the same name are one object, whatever their addresses. */

static bool is_same(const struct merge_object *a, const struct merge_object *b)
{
	if (a->name != 0 || b->name != 0)
		return a->name == b->name;
	return a->address == b->address && a->other == b->other;
}

static void merge_object_put(struct object_set *set, const struct merge_object *object)
{
	size_t at = 0;
	if (object->address == 0)
		return;
	while (at < set->len && !is_same(&set->object[at], object))
		at++;
	struct merge_object raised = *object;
	if (at == set->len) {
		set->len++;
	} else {
		raised = set->object[at];
		raised.count += object->count;
		raised.other = raised.other == object->other ? raised.other : 0;
	}
	for (; at > 0 && set->object[at - 1].count < raised.count; at--)
		set->object[at] = set->object[at - 1];
	set->object[at] = raised;
}

static void put_merged(struct object_set *set, const struct stmlog_entry_record *entry)
{
	for (size_t i = 0; i < MERGE_OBJECTS; i++) {
		struct merge_object object = {entry->objects[i].address, entry->object_others[i],
			entry->objects[i].count, entry->object_names[i]};
		merge_object_put(set, &object);
	}
}

static struct merge_object object_of(struct merge_map *map, const struct stmlog_entry_record *entry, size_t i)
{
	struct merge_object object = {merge_object(map, entry->objects[i].address),
		merge_object(map, entry->object_others[i]), entry->objects[i].count,
		merge_string(map, entry->object_names[i])};
	if (object.name != 0 && object.address == 0)
		object.address = entry->objects[i].address;
	return object;
}

static struct merge_objects merge_objects_of(struct merge_map *map, const struct stmlog_entry_record *from)
{
	struct merge_objects objects = {0};
	for (size_t i = 0; i < MERGE_OBJECTS; i++)
		objects.object[i] = object_of(map, from, i);
	return objects;
}

static void merge_objects_add(struct stmlog_entry_record *into, const struct merge_objects *objects)
{
	struct object_set set = {.len = 0};
	put_merged(&set, into);
	for (size_t i = 0; i < MERGE_OBJECTS; i++)
		merge_object_put(&set, &objects->object[i]);
	uint64_t cancelled = set.len > MERGE_OBJECTS ? set.object[MERGE_OBJECTS].count : 0;
	for (size_t i = 0; i < MERGE_OBJECTS; i++) {
		const struct merge_object kept =
			i < set.len ? set.object[i] : (struct merge_object){.count = cancelled};
		into->objects[i].address = kept.address;
		into->objects[i].count = kept.count - cancelled;
		into->object_others[i] = kept.other;
		into->object_names[i] = kept.name;
	}
}

/* ---- entries ---- */

static struct stmlog_entry_record merge_entry_begin(
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

static void merge_entry_add(
	const struct merge_map *map, struct stmlog_entry_record *into, const struct stmlog_entry_record *from)
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

static void merge_entry_find(struct merge_map *map, struct incoming *incoming)
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
	if (incoming->is_new) { /* NOLINT(clang-analyzer-core.uninitialized.Branch): merge_entry_find() has set each */
		*into = merge_entry_begin(map, &incoming->key, from);
		into->site = incoming->site;
	}
	into->site = into->site == incoming->site ? incoming->site : STMLOG_NO_SITE;
	merge_entry_add(map, into, from);
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
		merge_entry_find(map, &batch[i]);
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
