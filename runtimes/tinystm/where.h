/* SPDX-License-Identifier: MIT
 *
 * The place where a thread is when TinySTM calls a callback: the thread's shadow stack, if the program uses it;
 * otherwise the machine's stack, unwound by libgcc. Unwinding takes microseconds, so a cache recognises stacks that
 * were unwound before.
 */
#ifndef TINY_WHERE_H
#define TINY_WHERE_H

#include <stddef.h>
#include <stdint.h>

#include <stmlog/traceback.h>

#define TINY_DEPTH 32 /* frames of an unwound traceback; frames further out are unknown */

/* For one thread. All zero: closed. Invariant: walk == NULL  <=>  cache == NULL; then there was no memory, and only the
 * shadow stack is used. */
struct tiny_where {
	struct tiny_walk *walk;
	struct native_cache *cache;
	struct tb_frame *loose; /* an unwound traceback that the cache did not take, owned; or NULL */
	size_t size;            /* of the memory that `walk` and the cache are in */
};

/* Requires that it is closed. */
void tiny_where_open(struct tiny_where *where);

/* Releases all frames into `stack`. */
void tiny_where_close(struct tiny_where *where, struct tb_stack *stack);

/* The traceback, from the caller of TinySTM outwards. `slot`: NATIVE_RETURN_SLOT() in the callback. `stack`: the
 * calling thread's own. Borrowed until the next call. */
struct tb_frame *tiny_where(struct tiny_where *where, struct tb_stack *stack, const uintptr_t *slot);

#endif
