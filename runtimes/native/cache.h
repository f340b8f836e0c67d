/* SPDX-License-Identifier: MIT
 *
 * Tracebacks of one thread, kept for the next attempt that fails at the same place:
 * unwinding costs microseconds, recognising a stack nanoseconds.
 *
 * A *step* is a return address and the stack slot it lies in; a stack is known by all
 * its steps. The cache looks in one set of a few traces by the innermost step, and takes
 * a trace for the same stack only when every one of its slots still holds what it held.
 * Frame sizes are assumed nowhere, so stacks with variable-length arrays are right too.
 */
#ifndef NATIVE_CACHE_H
#define NATIVE_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include <stmlog/traceback.h>

struct native_step {
	const uintptr_t *slot;
	uintptr_t return_address;
};

/* `site`: what was put before the stack's own frames; 0: nothing. */
struct native_key {
	struct native_step innermost;
	uintptr_t site;
};

/* Invariants:  frames == NULL  <=>  the place is free;  otherwise frames is owned,
 *              len >= 1, and steps[0] is key.innermost;
 *              slots ascend: a stack grows downwards. */
struct native_trace {
	struct native_key key;
	struct tb_frame *frames;
	uint32_t kind; /* the caller's */
	uint32_t len;
	struct native_step steps[];
};

struct native_cache;

/* How many bytes a cache takes whose traces have at most `steps` steps. */
size_t native_cache_size(size_t steps);

/* Makes an empty cache in zeroed memory of that size, aligned to 16. */
struct native_cache *native_cache_init(void *memory, size_t steps);

/* Releases all frames into `stack`; the cache is empty then. */
void native_cache_clear(struct native_cache *cache, struct tb_stack *stack);

/* The trace of the stack that has `key` as its innermost step now, or NULL. Borrowed:
 * valid until the next add or clear. Requires that the slots that are read exist, which
 * they do while the innermost one is on the current stack. */
const struct native_trace *native_cache_find(const struct native_cache *cache, const struct native_key *key);

/* Adds a trace, instead of an older one if need be, and adopts `frames`. Returns whether
 * it could: not with len 0, len > steps, or slots that do not ascend from key's. */
bool native_cache_add(struct native_cache *cache, struct tb_stack *stack, const struct native_key *key,
	const struct native_step *steps, size_t len, struct tb_frame *frames, uint32_t kind);

#endif
