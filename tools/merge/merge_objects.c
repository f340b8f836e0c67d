/* SPDX-License-Identifier: MIT
 * Merges the most frequent objects of two entries, as the library does (stmlog/timelogs/objects.c): adds their counts,
 * then subtracts the count of the fifth from each, so that four are left, and one of count 0 where none is. Objects of
 * the same name are one object, whatever their addresses. */

#include "merge_parts.h"

/* In order, most frequent first. */
struct object_set {
	struct merge_object object[2 * MERGE_OBJECTS];
	size_t len;
};

static bool is_same(const struct merge_object *a, const struct merge_object *b)
{
	if (a->name != 0 || b->name != 0)
		return a->name == b->name;
	return a->address == b->address && a->other == b->other;
}

static void put(struct object_set *set, const struct merge_object *object)
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
		put(set, &object);
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

struct merge_objects merge_objects_of(struct merge_map *map, const struct stmlog_entry_record *from)
{
	struct merge_objects objects = {0};
	for (size_t i = 0; i < MERGE_OBJECTS; i++)
		objects.object[i] = object_of(map, from, i);
	return objects;
}

void merge_objects_add(struct stmlog_entry_record *into, const struct merge_objects *objects)
{
	struct object_set set = {.len = 0};
	put_merged(&set, into);
	for (size_t i = 0; i < MERGE_OBJECTS; i++)
		put(&set, &objects->object[i]);
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
