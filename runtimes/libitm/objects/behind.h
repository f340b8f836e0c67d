/* SPDX-License-Identifier: MIT
 *
 * The real functions behind the hooks of malloc and its relatives, and memory for calls that come before these are
 * found.
 *
 * The first calls come before any constructor, and the loader may allocate while the real functions are looked up.
 * Their memory comes from a small arena, and is never freed. The process has a single thread at that time.
 */
#ifndef OBJECTS_BEHIND_H
#define OBJECTS_BEHIND_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
