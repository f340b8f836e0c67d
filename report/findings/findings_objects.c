/* SPDX-License-Identifier: MIT
 * Finds conflicts between two words of one object that both transactions use. Such transactions share data, so moving
 * the words apart would not end the conflicts: they count as true conflicts. */
#include <string.h>

#include <stmlog/read.h>

#include "findings_search.h"
#include "report_memory.h"
#include "sort.h"

/* A block of at most this size is taken for one node of a list or a tree. */
enum { NODE_MAX_BYTES = 64 };

/* So many nodes in which the same two members conflict are not there by chance. */
enum { MIN_NODES = 3 };

/* A transaction uses several words of a stripe if at least this part of its conflicts in the stripe are true: over the
 * very word that the other transaction wrote. */
enum { TRUE_MIN_PERCENT = 10 };

/* Whether the two sides touched different words. If its count is 0, the pair is an example of many. */
static bool is_false_pair(const struct stmlog_entry_record *entry, size_t slot)
{
	uint64_t address = entry->objects[slot].address, other = entry->object_others[slot];
	return address != 0 && other != 0 && address != other;
}

bool findings_is_false_slot(const struct stmlog_entry_record *entry, size_t slot)
{
	return is_false_pair(entry, slot) && entry->objects[slot].count != 0;
}

bool findings_is_near(const struct findings_search *search, const struct stmlog_entry_record *entry, size_t slot)
{
	uint64_t stripe = search->recording->info.stripe_bytes;
	uint64_t address = entry->objects[slot].address, other = entry->object_others[slot];
	return stripe != 0 ? address / stripe == other / stripe : entry->false_aliases == 0;
}

static bool is_near_slot(const struct findings_search *search, size_t number, size_t slot)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	return findings_is_false_slot(entry, slot) && findings_is_near(search, entry, slot);
}

/* ---- two members of a node, in one transaction of two threads ---- */

/* Whether both sides are the same transaction at two different lines. At one line, each thread may access a word of its
 * own, such as its counter. */
static bool is_one_transaction(const struct findings_search *search, size_t number)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	uint32_t begin = findings_begin_place(search, entry->remote);
	uint32_t local = places_innermost(search->places, entry->local);
	uint32_t remote = places_innermost(search->places, entry->remote);
	return begin >= PLACE_FIRST && findings_victim_place(search, entry) == begin && local >= PLACE_FIRST &&
	       remote >= PLACE_FIRST && local != remote && remote != begin;
}

static bool is_in_a_node(const struct findings_search *search, size_t number, size_t slot)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	const struct stmlog_block_record *block = recording_block(search->recording, entry->objects[slot].address);
	return block != NULL && block->size <= NODE_MAX_BYTES &&
	       block == recording_block(search->recording, entry->object_others[slot]);
}

bool findings_are_like_nodes(const struct findings_search *search, size_t number)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	uint64_t distance = 0, nodes = 0;
	for (size_t slot = 0; slot < RECORDING_OBJECTS; slot++) {
		if (!is_false_pair(entry, slot) || !findings_is_near(search, entry, slot))
			continue;
		uint64_t here = entry->object_others[slot] - entry->objects[slot].address;
		if (nodes > 0 && here != distance)
			return false;
		distance = here;
		nodes++;
	}
	return nodes >= MIN_NODES;
}

static void mark_nodes(struct findings_search *search, size_t number)
{
	if (!is_one_transaction(search, number))
		return;
	bool are_nodes = findings_are_like_nodes(search, number);
	for (size_t slot = 0; slot < RECORDING_OBJECTS; slot++)
		if (is_near_slot(search, number, slot) && (are_nodes || is_in_a_node(search, number, slot)))
			search->same[number] |= (uint8_t)(1u << slot);
}

/* ---- a stripe of which the transaction uses several words ---- */

/* A conflict of a transaction in a stripe. */
struct touch {
	uint64_t stripe;
	uint32_t victim, entry, slot;
	bool is_false;
};

static uint64_t touch_order(const void *element, unsigned rank, const void *arg)
{
	const struct touch *touch = element;
	(void)arg;
	return rank == 0 ? touch->stripe : touch->victim;
}

/* Returns how many conflicts there are. Only counts them if `touches` is NULL. */
static size_t find_touches(const struct findings_search *search, struct touch *touches)
{
	size_t len = 0;
	for (uint32_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		for (uint32_t slot = 0; slot < RECORDING_OBJECTS && findings_is_data_abort(entry); slot++) {
			uint64_t address = entry->objects[slot].address, other = entry->object_others[slot];
			bool is_near = is_near_slot(search, i, slot), is_true = other == 0 || other == address;
			if (address == 0 || entry->objects[slot].count == 0 || !(is_near || is_true))
				continue;
			if (touches != NULL)
				touches[len] = (struct touch){address / search->recording->info.stripe_bytes,
					findings_victim_place(search, entry), i, slot, is_near};
			len++;
		}
	}
	return len;
}

/* All `touches` are conflicts of one transaction in one stripe. */
static void mark_stripe(struct findings_search *search, const struct touch *touches, size_t len)
{
	double counts[2] = {0, 0};
	for (size_t i = 0; i < len; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[touches[i].entry];
		counts[touches[i].is_false] += (double)entry->objects[touches[i].slot].count;
	}
	if (touches->victim < PLACE_FIRST || counts[0] * 100 < (counts[0] + counts[1]) * TRUE_MIN_PERCENT)
		return;
	for (size_t i = 0; i < len; i++)
		if (touches[i].is_false)
			search->same[touches[i].entry] |= (uint8_t)(1u << touches[i].slot);
}

static void mark_stripes(struct findings_search *search)
{
	size_t len = find_touches(search, NULL);
	struct touch *touches = memory_zeroed(len, sizeof *touches);
	find_touches(search, touches);
	sort(touches, len, sizeof *touches, touch_order, 2, NULL);
	for (size_t from = 0, to; from < len; from = to) {
		for (to = from; to < len && touches[to].stripe == touches[from].stripe &&
				touches[to].victim == touches[from].victim;
			to++)
			;
		mark_stripe(search, touches + from, to - from);
	}
	memory_free(touches);
}

/* ---- all of them ---- */

void findings_find_objects(struct findings_search *search)
{
	for (size_t i = 0; i < search->recording->entry_count; i++)
		mark_nodes(search, i);
	if (search->recording->info.stripe_bytes != 0)
		mark_stripes(search);
}

bool findings_is_same_object(const struct findings_search *search, size_t entry, size_t slot)
{
	return (search->same[entry] & (1u << slot)) != 0;
}

double findings_same_part(const struct findings_search *search, size_t number)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	double same = 0, near = 0;
	for (size_t slot = 0; slot < RECORDING_OBJECTS; slot++) {
		if (!is_near_slot(search, number, slot))
			continue;
		near += (double)entry->objects[slot].count;
		same += findings_is_same_object(search, number, slot) ? (double)entry->objects[slot].count : 0;
	}
	return near > 0 ? same / near : 0;
}
