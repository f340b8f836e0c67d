/* SPDX-License-Identifier: MIT
 *
 * Who called, as a number of 14 bits, so that a write can be put on record with its callers
 * (ring.h). The numbers of one thread name the nodes of a tree: a node is a return address
 * and the node of what that returns to; from a node outwards, a stack. Another thread that
 * finds a number on record makes frames of it, at any time, without a lock.
 *
 * Operations, and who may do them while the owner does which:
 *                     owner: child
 *   owner: child      -              one thread's
 *   parent, frames    yes            any thread
 *
 * A table outlives its thread with the ring that it hangs on; the ring's next owner goes on
 * with it, since an address means the same in all threads.
 */
#ifndef ITM_CONTEXT_TREE_H
#define ITM_CONTEXT_TREE_H

#include <stddef.h>
#include <stdint.h>

#include <atomic_ops.h>

/* As many numbers as fit above an address in a ring's entry, 0 ("not known", and the parent of
 * outermost callers) among them. */
#define ITM_CONTEXTS 16384u

/* Invariants:  parent < the node's own number, so that each walk ends;
 *              return_address and parent never change once `len` is above the number. */
struct itm_context_node {
	uintptr_t return_address;
	uint16_t parent;
	uint16_t latest; /* the child that was asked for last; the owner's alone; 0: none yet */
};

/* Invariant: places holds the numbers 1 .. len - 1, each where its parent and address are sought. */
struct itm_contexts {
	volatile AO_t len;     /* numbers below it are nodes; 0 is one; partner: itm_context_frames() */
	volatile AO_t dropped; /* how often there was no number left */
	struct itm_context_node nodes[ITM_CONTEXTS];
	uint16_t places[2 * ITM_CONTEXTS];
};

/* NULL without memory. There is no end to it: somebody may always be reading. */
struct itm_contexts *itm_contexts_create(void);

uint32_t itm_context_child_slow(struct itm_contexts *contexts, uint32_t parent, uintptr_t return_address);

/* The number of what was called from `return_address`, in `parent`; 0: the table is full. Owner.
 * Requires: parent is a number of this table. */
static inline uint32_t itm_context_child(struct itm_contexts *contexts, uint32_t parent, uintptr_t return_address)
{
	uint32_t latest = contexts->nodes[parent].latest;
	if (latest != 0 && contexts->nodes[latest].return_address == return_address)
		return latest;
	return itm_context_child_slow(contexts, parent, return_address);
}

/* 0 if `context` is outermost, or no number of this table. */
uint32_t itm_context_parent(const struct itm_contexts *contexts, uint32_t context);

/* The return addresses of `context`, innermost first; returns how many: at most `cap`, and none if
 * it is no number of this table. */
size_t itm_context_frames(const struct itm_contexts *contexts, uint32_t context, uintptr_t *frames, size_t cap);

/* How often a context was asked for that there was no number for. */
static inline size_t itm_contexts_dropped(const struct itm_contexts *contexts)
{
	return AO_load(&contexts->dropped);
}

#endif
