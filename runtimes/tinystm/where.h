/* SPDX-License-Identifier: MIT
 *
 * Where a thread is, when TinySTM calls back: what the program has pushed on its shadow
 * stack, if it pushes; otherwise the stack itself, unwound by libgcc. Unwinding takes
 * microseconds, so stacks are recognised by a cache and seldom unwound.
 */
#ifndef TINY_WHERE_H
#define TINY_WHERE_H

#include <stddef.h>
#include <stdint.h>

#include <stmlog/traceback.h>

#define TINY_DEPTH 32 /* frames of an unwound traceback; what is further out is unknown */

/* One thread's. Invariant: walk == NULL  <=>  cache == NULL: there was no memory, and only the shadow stack is known.
 * All zero it is closed. */
struct tiny_where {
	struct tiny_walk *walk;
	struct native_cache *cache;
	struct tb_frame *loose; /* an unwound traceback that the cache did not take, owned; or NULL */
	size_t size;            /* of the memory that `walk` and the cache are in */
};

void tiny_where_open(struct tiny_where *where);

/* Releases all frames into `stack`. */
void tiny_where_close(struct tiny_where *where, struct tb_stack *stack);

/* Where the thread is, from the caller of TinySTM outwards. `slot`: the NATIVE_RETURN_SLOT() of the function that
 * TinySTM has called. Borrowed, until the next call. `stack` is the calling thread's own, in all three. */
struct tb_frame *tiny_where(struct tiny_where *where, struct tb_stack *stack, const uintptr_t *slot);

/* The same, as the number of a place where transactions begin (blocks.h). */
uint32_t tiny_where_block(struct tiny_where *where, struct tb_stack *stack, const uintptr_t *slot);

#endif
