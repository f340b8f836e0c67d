/* SPDX-License-Identifier: MIT
 *
 * A keep: interned copies of constant data of the program, such as names, found by the address of the original. The
 * original may be in a library that the program unloads before a report is made; the copy stays.
 *
 * Nothing is ever removed: an original that was copied once has its copy until the whole keep is cleared. So a hook
 * that sees the same originals again and again allocates no memory.
 *
 * Threads: any thread may add and find at any time, also in a signal handler. Two threads that add the same original
 * at once may make two copies, of which one is found afterwards.
 */
#ifndef BASE_KEEP_H
#define BASE_KEEP_H

#include <stddef.h>
#include <stdint.h>

#include <atomic_ops.h>

#include <stmlog/compiler.h>

/* Invariants: a slot's `original` is stored once, by compare-and-swap; `copy` is stored later, with release order, and
 * until then the original counts as not found; at most half of the slots of a table are used when a slot is claimed,
 * plus or minus one for each thread. */
struct keep_slot {
	volatile AO_t original; /* 0: free */
	volatile AO_t copy;
};

struct keep_table {
	struct keep_table *older; /* half as large; NULL: none */
	size_t slots;             /* a power of two */
	volatile AO_t used;
	struct keep_slot slot[];
};

/* All zero, it is empty. */
struct keep {
	volatile AO_t table; /* struct keep_table *, the newest */
	volatile AO_t piece; /* struct keep_piece *, with memory for copies */
};

static inline size_t keep_hash(const void *original)
{
	return (size_t)((uint64_t)(uintptr_t)original * 0x9e3779b97f4a7c15u >> 32);
}

/* The copy of an original, NULL if there is none. Costs about a nanosecond if it is in the processor's cache. Acquire;
 * partner: the releases of keep_add(). */
static inline const void *keep_find(const struct keep *keep, const void *original)
{
	const struct keep_table *table = (const struct keep_table *)AO_load_acquire(&keep->table);
	for (; table != NULL; table = table->older) {
		for (size_t i = keep_hash(original);; i++) {
			const struct keep_slot *slot = &table->slot[i & (table->slots - 1)];
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
const void *keep_add(struct keep *keep, const void *original, const void *bytes, size_t size);

/* Allocates zeroed memory, aligned to 8, that is freed with the keep and that keep_find() does not find. NULL without
 * memory. Keeps errno. */
void *keep_room(struct keep *keep, size_t size);

/* Frees all copies and tables. Called when no other thread uses the keep. */
void keep_clear(struct keep *keep);

#endif
