/* SPDX-License-Identifier: MIT
 *
 * A cache of one thread's tracebacks, for the next attempt that fails at the same place: unwinding a stack costs
 * microseconds, recognising it nanoseconds.
 *
 * A *step* is a return address and the stack slot in which it lies. A trace is looked up by the innermost step, and is
 * taken for the present stack only if all its slots still hold the same return addresses. Nothing is assumed about
 * sizes of frames, so stacks with variable-length arrays are right, too.
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

/* `site`: a code address that the traceback has in front of the stack's own frames; 0: none. */
struct native_key {
	struct native_step innermost;
	uintptr_t site;
};

/* Invariants:  frames == NULL  <=>  the entry is free;  otherwise frames is owned, len >= 1, and steps[0] is
 *              key.innermost;
 *              slots ascend, since a stack grows downwards. */
struct native_trace {
	struct native_key key;
	struct tb_frame *frames;
	uint32_t kind; /* a number of the caller's */
	uint32_t len;
	struct native_step steps[];
};

struct native_cache;

/* The size in bytes of a cache whose traces have at most `steps` steps. */
size_t native_cache_size(size_t steps);

/* Makes an empty cache in memory of that size, aligned to 16, whatever is in it. */
struct native_cache *native_cache_init(void *memory, size_t steps);

/* Empties the cache; releases all frames into `stack`. */
void native_cache_clear(struct native_cache *cache, struct tb_stack *stack);

/* The trace of the present stack from the step `key` outwards, or NULL. Borrowed until the next add or clear. Only
 * slots from key's slot outwards are read: they exist, because callers pass a slot of their own stack. */
const struct native_trace *native_cache_find(const struct native_cache *cache, const struct native_key *key);

/* Adds a trace, and adopts `frames`. If the set is full, the oldest trace of it is dropped. Returns false and adopts
 * nothing if len is 0 or above the cache's steps, or if the slots do not ascend from key's. */
bool native_cache_add(struct native_cache *cache, struct tb_stack *stack, const struct native_key *key,
	const struct native_step *steps, size_t len, struct tb_frame *frames, uint32_t kind);

/* ---- the slot by which a stack is recognised ---- */

/* The slot for the function in which this macro stands. For x86-64. */
#define NATIVE_RETURN_SLOT() ((uintptr_t *)__builtin_dwarf_cfa() - 1)

#endif
