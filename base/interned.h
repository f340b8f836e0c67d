/* SPDX-License-Identifier: MIT
 *
 * A table of interned copies of constant data of the program, such as names, found by the address of the original. The
 * original may be in a library that the program unloads before a report is made; the copy stays.
 *
 * Nothing is ever removed: an original that was copied once has its copy until the whole table is cleared. So a hook
 * that sees the same originals again and again allocates no memory.
 *
 * Threads: any thread may add and find at any time, also in a signal handler. Two threads that add the same original
 * at once may make two copies, of which one is found afterwards.
 */
#ifndef BASE_INTERNED_H
#define BASE_INTERNED_H

#include <stddef.h>
#include <stdint.h>

#include <atomic_ops.h>

#include <stmlog/compiler.h>

/* Invariants: a slot's `original` is stored once, by compare-and-swap; `copy` is stored later, with release order, and
 * until then the original counts as not found; at most half of the slots of a table are used when a slot is claimed,
 * plus or minus one for each thread. */
struct interned_slot {
	volatile AO_t original; /* 0: free */
	volatile AO_t copy;
};

struct interned_table {
	struct interned_table *older; /* half as large; NULL: none */
	size_t slots;                 /* a power of two */
	volatile AO_t used;
	struct interned_slot slot[];
};

/* All zero, it is empty. */
struct interned {
	volatile AO_t table; /* struct interned_table *, the newest */
	volatile AO_t piece; /* struct interned_piece *, with memory for copies */
};

static inline size_t interned_hash(const void *original)
{
	return (size_t)((uint64_t)(uintptr_t)original * 0x9e3779b97f4a7c15u >> 32);
}

/* The copy of an original, NULL if there is none. Costs about a nanosecond if it is in the processor's cache. Acquire;
 * partner: the releases of interned_add(). */
static inline const void *interned_find(const struct interned *interned, const void *original)
{
	const struct interned_table *table = (const struct interned_table *)AO_load_acquire(&interned->table);
	for (; table != NULL; table = table->older) {
		for (size_t i = interned_hash(original);; i++) {
			const struct interned_slot *slot = &table->slot[i & (table->slots - 1)];
			AO_t found = AO_load_acquire(&slot->original);
			if (found == (AO_t)original)
				return (const void *)AO_load_acquire(&slot->copy);
			if (found == 0)
				break;
		}
	}
	return NULL;
}

/* Copies `size` bytes, at least 1, as the copy of `original`, aligned to 8. Requires that `original` is not NULL and
 * was not found. Returns the copy; NULL without memory. Keeps errno. */
const void *interned_add(struct interned *interned, const void *original, const void *bytes, size_t size);

/* Allocates zeroed memory, aligned to 8, that is freed with the table and that interned_find() does not find. NULL
 * without memory. Keeps errno. */
void *interned_alloc(struct interned *interned, size_t size);

/* Frees all copies and tables. Called when no other thread uses the table. */
void interned_clear(struct interned *interned);

#endif
