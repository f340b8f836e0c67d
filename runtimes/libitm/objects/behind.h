/* SPDX-License-Identifier: MIT
 *
 * The memory management that stands behind us, and what there is before it can be called.
 *
 * The first calls come before any constructor, and the loader may allocate while it is asked for the real
 * functions: that memory comes from a small arena of our own, and never goes back. There is one thread then.
 */
#ifndef OBJECTS_BEHIND_H
#define OBJECTS_BEHIND_H

#include <stdbool.h>
#include <stddef.h>

/* Invariant: malloc != NULL => all were looked for. */
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

/* Looks for them; false while that is under way already, and where there are none. */
bool behind_find(void);

static inline bool behind_is_ready(void)
{
	return __builtin_expect(behind.malloc != NULL, 1) || behind_find();
}

/* Zeroed memory of the arena; NULL when it is used up. `alignment` is a power of two. */
void *behind_early(size_t size, size_t alignment);

/* How many bytes from there to the end of what the arena has given out; 0: it is none of its memory. */
size_t behind_early_left(const void *memory);

#endif
