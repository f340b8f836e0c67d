/* SPDX-License-Identifier: MIT
 * Keeps the most frequent objects of an entry. Adding an object and merging two entries are the same operation: add the
 * counts of two sets, and then reduce all counts by the (k+1)-th largest, so that at most k objects are left. */
#include "objects.h"

#include <string.h>

#include "check.h"

struct object {
	uintptr_t address;
	uintptr_t other;
	uint64_t count;
};

struct object_set {
	struct object object[2 * STMLOG_OBJECTS];
	size_t len;
};

/* Adds to the set and keeps it in order. Requires: the set has room. */
static void put(struct object_set *set, uintptr_t address, uintptr_t other, uint64_t count)
{
	size_t at = 0;
	while (at < set->len && (set->object[at].address != address || set->object[at].other != other))
		at++;
	REQUIRES(at < 2 * STMLOG_OBJECTS);
	if (at == set->len)
		set->object[set->len++] = (struct object){address, other, 0};
	struct object raised = {address, other, set->object[at].count + count};
	while (at > 0 && set->object[at - 1].count < raised.count) {
		set->object[at] = set->object[at - 1];
		at--;
	}
	set->object[at] = raised;
}

static void add_objects(struct object_set *set, const struct stmlog_entry *entry)
{
	for (size_t i = 0; i < STMLOG_OBJECTS && entry->objects[i].address != 0; i++)
		put(set, entry->objects[i].address, entry->objects[i].other, entry->objects[i].count);
}

static void store(struct object_set *set, struct stmlog_entry *entry)
{
	uint64_t cancelled = set->len > STMLOG_OBJECTS ? set->object[STMLOG_OBJECTS].count : 0;
	memset(entry->objects, 0, sizeof entry->objects);
	for (size_t i = 0; i < STMLOG_OBJECTS && i < set->len; i++) {
		entry->objects[i].address = set->object[i].address;
		entry->objects[i].other = set->object[i].other;
		entry->objects[i].count = set->object[i].count - cancelled;
	}
}

void objects_add(struct stmlog_entry *entry, uintptr_t address, uintptr_t other)
{
	if (address == 0)
		return;
	if (entry->objects[0].address == address &&
		entry->objects[0].other == other) { /* by far the most frequent case; the order does not change */
		entry->objects[0].count++;
		return;
	}
	struct object_set set = {.len = 0};
	add_objects(&set, entry);
	put(&set, address, other, 1);
	store(&set, entry);
}

/* Merges if the other entry has no object, or only the object that is the entry's most frequent already, so that the
 * order does not change. Returns whether it has merged. */
static bool merge_easily(struct stmlog_entry *entry, const struct stmlog_entry *other)
{
	if (other->objects[0].address == 0)
		return true;
	if (other->objects[1].address != 0 || other->objects[0].address != entry->objects[0].address ||
		other->objects[0].other != entry->objects[0].other)
		return false;
	entry->objects[0].count += other->objects[0].count;
	return true;
}

void objects_merge(struct stmlog_entry *entry, const struct stmlog_entry *other)
{
	if (merge_easily(entry, other))
		return;
	struct object_set set = {.len = 0};
	add_objects(&set, entry);
	add_objects(&set, other);
	store(&set, entry);
}
