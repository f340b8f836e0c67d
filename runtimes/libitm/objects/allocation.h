/* SPDX-License-Identifier: MIT
 *
 * What the hooks of malloc and its relatives call: the real functions, memory for calls that come before these are
 * found, and the notes of allocations and frees.
 */
#ifndef OBJECTS_ALLOCATION_H
#define OBJECTS_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <atomic_ops.h>

/* ---- the real functions, and the arena ---- */

/* The first calls come before any constructor, and the loader may allocate while the real functions are looked up.
 * Their memory comes from a small arena, and is never freed. The process has a single thread at that time. */

/* The real functions; NULL: there is no such function. Invariant: malloc != NULL  =>  all were looked up. */
struct behind {
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	void *(*memalign)(size_t, size_t);
	void *(*malloc)(size_t);
};
extern struct behind behind;

/* Looks up the real functions. Returns false if the look-up is under way already, or if there is no malloc. */
bool behind_find(void);

static inline bool behind_is_ready(void)
{
	return __builtin_expect(behind.malloc != NULL, 1) || behind_find();
}

/* Zeroed memory of the arena; NULL: it is used up. `alignment` is a power of two. */
void *behind_early(size_t size, size_t alignment);

/* The number of bytes from `memory` to the end of the used part of the arena; 0: `memory` is not of the arena. */
size_t behind_early_left(const void *memory);

/* ---- notes ---- */

/* Any thread may call. Memory that is allocated while a note is made (by the unwinder, or by a signal handler) is not
 * noted. errno is kept. */

/* For note_is_wanted() only. */
extern volatile AO_t note_is_watching;

/* Whether notes are kept: from stmlog_objects_watch() on. */
static inline bool note_is_wanted(void)
{
	return AO_load_acquire(&note_is_watching) != 0; /* partner: stmlog_objects_watch() */
}

/* The hook whose return address lies in `slot` has allocated `memory`; NULL: it has failed. */
void note_allocated(const void *memory, size_t size, const uintptr_t *slot);

/* note_freed(): `memory` is about to be freed. It must be noted before it happens: afterwards another thread may have
 * got the memory, and have noted that. note_not_freed(): it was not freed after all. */
void note_freed(const void *memory);
void note_not_freed(const void *memory);

#endif
