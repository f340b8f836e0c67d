/* SPDX-License-Identifier: MIT
 * Collects the blocks of objects. The program runs meanwhile, so two blocks that the runtime finds may overlap. Then
 * the block that was added first counts for all objects in it. */
#include "sections.h"

#include <string.h>

#include <stmlog/agent.h>
#include <stmlog/format.h>

#include "names.h"

typedef struct stmlog_block_record record;

static record record_at(const struct buffer *blocks, size_t i)
{
	record found;
	memcpy(&found, blocks->bytes + i * sizeof found, sizeof found);
	return found;
}

/* Returns how many blocks begin at the address or below. */
static size_t count_up_to(const struct buffer *blocks, uint64_t address)
{
	size_t low = 0, high = blocks->len / sizeof(record);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (record_at(blocks, middle).address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has(const struct buffer *blocks, size_t at, uint64_t object)
{
	return at > 0 && object - record_at(blocks, at - 1).address < record_at(blocks, at - 1).size;
}

static void insert(struct buffer *blocks, size_t at, const record *added)
{
	buffer_append(blocks, added, sizeof *added);
	if (blocks->has_failed)
		return;
	char *place = blocks->bytes + at * sizeof *added;
	memmove(place + sizeof *added, place, blocks->len - (at + 1) * sizeof *added);
	memcpy(place, added, sizeof *added);
}

void blocks_add(struct buffer *blocks, struct intern *intern, uintptr_t object)
{
	struct stmlog_block block;
	if (blocks->has_failed || has(blocks, count_up_to(blocks, object), object) || !names_block(object, &block))
		return;
	size_t at = count_up_to(blocks, block.start);
	if (at > 0 && record_at(blocks, at - 1).address == block.start)
		return;
	record added = {
		.address = block.start,
		.size = block.size,
		.traceback = intern_copy(intern, &block.allocated),
		.flags = block.is_freed ? STMLOG_BLOCK_FREED : 0,
	};
	insert(blocks, at, &added);
}
