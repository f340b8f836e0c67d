/* SPDX-License-Identifier: MIT
 * Implements the hash table. A removal moves later slots back, so that there are no tombstones. */
#include "index.h"

#include <string.h>

#include "check.h"

static uint32_t size_for(uint32_t capacity)
{
	uint32_t size = 2;
	while (size < 2 * (uint64_t)capacity)
		size *= 2;
	return size;
}

size_t index_storage_size(uint32_t capacity)
{
	return size_for(capacity) * sizeof(struct index_slot);
}

void index_init(struct index *index, uint32_t capacity, void *storage)
{
	index->slot = storage;
	index->size = size_for(capacity);
}

/* Uses the upper bits, too: the callers' hashes are products, whose lower bits depend on few bits of the input. */
static uint32_t home(const struct index *index, uint64_t hash)
{
	return (uint32_t)(hash >> 32 ^ hash) & (index->size - 1);
}

static uint32_t after(const struct index *index, uint32_t at)
{
	return (at + 1) & (index->size - 1);
}

#ifdef STMLOG_CHECKS
static bool contains(const struct index *index, uint64_t hash, uint32_t item)
{
	struct index_cursor cursor = index_find(index, hash);
	uint32_t found;
	while (index_next(&cursor, &found))
		if (found == item)
			return true;
	return false;
}
#endif

void index_add(struct index *index, uint64_t hash, uint32_t item)
{
	uint32_t at = home(index, hash);
	REQUIRES(!contains(index, hash, item));
	while (index->slot[at].item_plus_1 != 0)
		at = after(index, at);
	index->slot[at] = (struct index_slot){hash, item + 1};
}

/* Whether the slot at `at` may move back to `hole`. It may not if its home lies between `hole` and `at` or is `at`: a
 * probe begins at the home, and so would never come to the hole. */
static bool may_move(const struct index *index, uint32_t at, uint32_t hole)
{
	uint32_t mask = index->size - 1;
	return ((at - home(index, index->slot[at].hash)) & mask) >= ((at - hole) & mask);
}

void index_remove(struct index *index, uint64_t hash, uint32_t item)
{
	uint32_t hole = home(index, hash);
	REQUIRES(contains(index, hash, item));
	while (index->slot[hole].item_plus_1 != item + 1)
		hole = after(index, hole);
	for (uint32_t at = after(index, hole); index->slot[at].item_plus_1 != 0; at = after(index, at)) {
		if (may_move(index, at, hole)) {
			index->slot[hole] = index->slot[at];
			hole = at;
		}
	}
	index->slot[hole].item_plus_1 = 0;
}

void index_clear(struct index *index)
{
	memset(index->slot, 0, index->size * sizeof *index->slot);
}

struct index_cursor index_find(const struct index *index, uint64_t hash)
{
	return (struct index_cursor){.index = index, .hash = hash, .at = home(index, hash)};
}

bool index_next(struct index_cursor *cursor, uint32_t *item)
{
	const struct index *index = cursor->index;
	while (index->slot[cursor->at].item_plus_1 != 0) {
		const struct index_slot *slot = &index->slot[cursor->at];
		cursor->at = after(index, cursor->at);
		if (slot->hash == cursor->hash) {
			*item = slot->item_plus_1 - 1;
			return true;
		}
	}
	return false;
}
