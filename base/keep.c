/* SPDX-License-Identifier: MIT
 * Stores copies in a list of hash tables, to which a larger table is added in front when the newest is full, and
 * allocates them from a list of memory blocks, of which the newest has room. */
#include "keep.h"

#include <errno.h>
#include <string.h>

#include "check.h"
#include "mem.h"

#define SLOTS_FIRST 256u
#define PIECE_BYTES 16384u

/* A piece of memory for copies. Invariant: bytes [0, used) belong to copies; `used` may be above the size, if a thread
 * has found too little room. */
struct keep_piece {
	struct keep_piece *older;
	size_t size; /* of the whole piece */
	volatile AO_t used;
	char bytes[];
};

/* ---- memory ---- */

/* Puts a new piece with room for `size` bytes in front, unless another thread has put one there meanwhile. */
static int add_piece(struct keep *keep, AO_t front, size_t size)
{
	size_t whole = sizeof(struct keep_piece) + size;
	if (whole < PIECE_BYTES)
		whole = PIECE_BYTES;
	struct keep_piece *piece = mem_alloc(whole);
	if (piece == NULL)
		return -ENOMEM;
	piece->older = (struct keep_piece *)front;
	piece->size = whole;
	if (!AO_compare_and_swap_full(&keep->piece, front, (AO_t)piece))
		mem_free(piece, whole);
	return 0;
}

/* Allocates `size` bytes from the newest piece. Returns NULL without memory. */
static char *cut(struct keep *keep, size_t size)
{
	for (;;) {
		AO_t front = AO_load_acquire(&keep->piece);
		struct keep_piece *piece = (struct keep_piece *)front;
		if (piece != NULL) {
			size_t room = piece->size - sizeof *piece, at = AO_load(&piece->used);
			if (at <= room && size <= room - at)
				at = AO_fetch_and_add(&piece->used, size);
			if (at <= room && size <= room - at)
				return piece->bytes + at;
		}
		if (add_piece(keep, front, size) != 0)
			return NULL;
	}
}

void *keep_room(struct keep *keep, size_t size)
{
	int saved = errno;
	char *room = cut(keep, (size + 7) & ~(size_t)7);
	errno = saved;
	return room;
}

/* ---- tables ---- */

static size_t table_bytes(size_t slots)
{
	return sizeof(struct keep_table) + slots * sizeof(struct keep_slot);
}

/* Puts a larger table in front, unless another thread has put one there meanwhile. Release; partner: keep_find(). */
static int add_table(struct keep *keep, AO_t front)
{
	struct keep_table *older = (struct keep_table *)front;
	size_t slots = older != NULL ? 2 * older->slots : SLOTS_FIRST;
	struct keep_table *table = mem_alloc(table_bytes(slots));
	if (table == NULL)
		return -ENOMEM;
	table->older = older;
	table->slots = slots;
	if (!AO_compare_and_swap_full(&keep->table, front, (AO_t)table))
		mem_free(table, table_bytes(slots));
	return 0;
}

/* Returns the newest table, in which a slot is free for the caller. NULL without memory. */
static struct keep_table *roomy_table(struct keep *keep)
{
	for (;;) {
		AO_t front = AO_load_acquire(&keep->table);
		struct keep_table *table = (struct keep_table *)front;
		if (table != NULL && AO_fetch_and_add1(&table->used) < table->slots / 2)
			return table;
		if (add_table(keep, front) != 0)
			return NULL;
	}
}

/* Claims a slot for the original: a free one, or the slot of a thread that adds the same original at the same time. */
static struct keep_slot *claim_slot(struct keep_table *table, const void *original)
{
	for (size_t i = keep_hash(original);; i++) {
		struct keep_slot *slot = &table->slot[i & (table->slots - 1)];
		if (AO_load_acquire(&slot->original) == 0)
			AO_compare_and_swap_full(&slot->original, 0, (AO_t)original);
		if (AO_load_acquire(&slot->original) == (AO_t)original)
			return slot;
	}
}

const void *keep_add(struct keep *keep, const void *original, const void *bytes, size_t size)
{
	REQUIRES(original != NULL && size > 0);
	char *copy = keep_room(keep, size);
	int saved = errno;
	struct keep_table *table = copy != NULL ? roomy_table(keep) : NULL;
	errno = saved;
	if (table == NULL)
		return NULL;
	memcpy(copy, bytes, size);
	AO_store_release(&claim_slot(table, original)->copy, (AO_t)copy); /* partner: keep_find() */
	return copy;
}

void keep_clear(struct keep *keep)
{
	struct keep_table *table = (struct keep_table *)AO_load_acquire(&keep->table);
	struct keep_piece *piece = (struct keep_piece *)AO_load_acquire(&keep->piece);
	while (table != NULL) {
		struct keep_table *older = table->older;
		mem_free(table, table_bytes(table->slots));
		table = older;
	}
	while (piece != NULL) {
		struct keep_piece *older = piece->older;
		mem_free(piece, piece->size);
		piece = older;
	}
	AO_store(&keep->table, 0);
	AO_store(&keep->piece, 0);
}
