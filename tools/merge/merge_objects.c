/* SPDX-License-Identifier: MIT
 * Merges the most frequent objects of two entries, as the library does (stmlog/timelogs/objects.c): adds their counts,
 * then subtracts the count of the fifth from each, so that four are left. Objects of the same name are one object,
 * whatever their addresses. */
#include <string.h>

#include "merge_parts.h"

enum { OBJECTS = sizeof((struct stmlog_entry_record *)NULL)->object_names / sizeof(uint32_t) };

struct object {
	uint64_t address, other, count;
	uint32_t name;
};

/* In order, most frequent first. */
struct object_set {
	struct object object[2 * OBJECTS];
	size_t len;
};

static bool is_same(const struct object *a, const struct object *b)
{
	if (a->name != 0 || b->name != 0)
		return a->name == b->name;
	return a->address == b->address && a->other == b->other;
}

static void put(struct object_set *set, const struct object *object)
{
	size_t at = 0;
	if (object->address == 0 || object->count == 0)
		return;
	while (at < set->len && !is_same(&set->object[at], object))
		at++;
	struct object raised = *object;
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

static void take_merged(struct object_set *set, const struct stmlog_entry_record *entry)
{
	for (size_t i = 0; i < OBJECTS; i++) {
		struct object object = {entry->objects[i].address, entry->object_others[i], entry->objects[i].count,
			entry->object_names[i]};
		put(set, &object);
	}
}

static void take_new(struct merge_map *map, struct object_set *set, const struct stmlog_entry_record *entry)
{
	for (size_t i = 0; i < OBJECTS; i++) {
		struct object object = {merge_object(map, entry->objects[i].address),
			merge_object(map, entry->object_others[i]), entry->objects[i].count,
			merge_string(map, entry->object_names[i])};
		if (object.name != 0 && object.address == 0)
			object.address = entry->objects[i].address;
		put(set, &object);
	}
}

void merge_objects(struct merge_map *map, struct stmlog_entry_record *into, const struct stmlog_entry_record *from)
{
	struct object_set set = {.len = 0};
	take_merged(&set, into);
	take_new(map, &set, from);
	uint64_t cancelled = set.len > OBJECTS ? set.object[OBJECTS].count : 0;
	for (size_t i = 0; i < OBJECTS; i++) {
		bool is_kept = i < set.len && set.object[i].count > cancelled;
		struct object kept = is_kept ? set.object[i] : (struct object){.count = cancelled};
		into->objects[i].address = kept.address;
		into->objects[i].count = kept.count - cancelled;
		into->object_others[i] = kept.other;
		into->object_names[i] = kept.name;
	}
}
