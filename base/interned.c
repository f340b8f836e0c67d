/* SPDX-License-Identifier: MIT
 * Stores copies in a list of hash tables, to which a larger table is added in front when the newest is full, and
 * allocates them from a list of memory blocks, of which the newest has room. */
#include "interned.h"

#include <errno.h>
#include <string.h>

#include "check.h"
#include "mem.h"

#define SLOTS_FIRST 256u
#define PIECE_BYTES 16384u

/* A piece of memory for copies. Invariant: bytes [0, used) belong to copies; `used` may be above the size, if a thread
 * has found too little room. */
struct interned_piece {
	struct interned_piece *older;
	size_t size; /* of the whole piece */
	volatile AO_t used;
	char bytes[];
};

/* ---- memory ---- */

/* Puts a new piece with room for `size` bytes in front, unless another thread has put one there meanwhile. */
static int add_piece(struct interned *interned, AO_t front, size_t size)
{
	size_t whole = sizeof(struct interned_piece) + size;
	if (whole < PIECE_BYTES)
		whole = PIECE_BYTES;
	struct interned_piece *piece = mem_alloc(whole);
	if (piece == NULL)
		return -ENOMEM;
	piece->older = (struct interned_piece *)front;
	piece->size = whole;
	if (!AO_compare_and_swap_full(&interned->piece, front, (AO_t)piece))
		mem_free(piece, whole);
	return 0;
}

/* Allocates `size` bytes from the newest piece. Returns NULL without memory. */
static char *cut(struct interned *interned, size_t size)
{
	for (;;) {
		AO_t front = AO_load_acquire(&interned->piece);
		struct interned_piece *piece = (struct interned_piece *)front;
		if (piece != NULL) {
			size_t room = piece->size - sizeof *piece, at = AO_load(&piece->used);
			if (at <= room && size <= room - at)
				at = AO_fetch_and_add(&piece->used, size);
			if (at <= room && size <= room - at)
				return piece->bytes + at;
		}
		if (add_piece(interned, front, size) != 0)
			return NULL;
	}
}

void *interned_alloc(struct interned *interned, size_t size)
{
	int saved = errno;
	char *room = cut(interned, (size + 7) & ~(size_t)7);
	errno = saved;
	return room;
}

/* ---- tables ---- */

static size_t table_bytes(size_t slots)
{
	return sizeof(struct interned_table) + slots * sizeof(struct interned_slot);
}

/* Puts a larger table in front, unless another thread has put one there meanwhile. Release; partner: interned_find().
 */
static int add_table(struct interned *interned, AO_t front)
{
	struct interned_table *older = (struct interned_table *)front;
	size_t slots = older != NULL ? 2 * older->slots : SLOTS_FIRST;
	struct interned_table *table = mem_alloc(table_bytes(slots));
	if (table == NULL)
		return -ENOMEM;
	table->older = older;
	table->slots = slots;
	if (!AO_compare_and_swap_full(&interned->table, front, (AO_t)table))
		mem_free(table, table_bytes(slots));
	return 0;
}

/* Returns the newest table, in which a slot is free for the caller. NULL without memory. */
static struct interned_table *roomy_table(struct interned *interned)
{
	for (;;) {
		AO_t front = AO_load_acquire(&interned->table);
		struct interned_table *table = (struct interned_table *)front;
		if (table != NULL && AO_fetch_and_add1(&table->used) < table->slots / 2)
			return table;
		if (add_table(interned, front) != 0)
			return NULL;
	}
}

/* Claims a slot for the original: a free one, or the slot of a thread that adds the same original at the same time. */
static struct interned_slot *claim_slot(struct interned_table *table, const void *original)
{
	for (size_t i = interned_hash(original);; i++) {
		struct interned_slot *slot = &table->slot[i & (table->slots - 1)];
		if (AO_load_acquire(&slot->original) == 0)
			AO_compare_and_swap_full(&slot->original, 0, (AO_t)original);
		if (AO_load_acquire(&slot->original) == (AO_t)original)
			return slot;
	}
}

const void *interned_add(struct interned *interned, const void *original, const void *bytes, size_t size)
{
	REQUIRES(original != NULL && size > 0);
	char *copy = interned_alloc(interned, size);
	int saved = errno;
	struct interned_table *table = copy != NULL ? roomy_table(interned) : NULL;
	errno = saved;
	if (table == NULL)
		return NULL;
	memcpy(copy, bytes, size);
	AO_store_release(&claim_slot(table, original)->copy, (AO_t)copy); /* partner: interned_find() */
	return copy;
}

void interned_clear(struct interned *interned)
{
	struct interned_table *table = (struct interned_table *)AO_load_acquire(&interned->table);
	struct interned_piece *piece = (struct interned_piece *)AO_load_acquire(&interned->piece);
	AO_store(&interned->table, 0); /* before it is freed: another thread may fork meanwhile */
	AO_store(&interned->piece, 0);
	while (table != NULL) {
		struct interned_table *older = table->older;
		mem_free(table, table_bytes(table->slots));
		table = older;
	}
	while (piece != NULL) {
		struct interned_piece *older = piece->older;
		mem_free(piece, piece->size);
		piece = older;
	}
}
