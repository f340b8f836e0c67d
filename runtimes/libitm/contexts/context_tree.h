/* SPDX-License-Identifier: MIT
 *
 * Calling contexts: the callers of a function, as a number of 14 bits, so that a write can be recorded together with
 * its callers (ring.h). The numbers are nodes of a tree. A node is a return address and the node of the caller to which
 * it returns, so the way from a node to the root is a stack. Another thread that reads a number in a ring can look up
 * its return addresses, at any time and without a lock.
 *
 * Operations, and which threads may call them:
 *   child     the owner of the ring
 *   frames    any thread, also while the owner adds a child
 *
 * A tree belongs to a ring and outlives its thread. The ring's next owner goes on with it, since an address means the
 * same in all threads.
 */
#ifndef ITM_CONTEXT_TREE_H
#define ITM_CONTEXT_TREE_H

#include <stddef.h>
#include <stdint.h>

#include <atomic_ops.h>

#include "requires.h"

/* How many numbers fit above an address in a ring's entry. 0 is one of them: "not known", and the parent of outermost
 * callers. */
#define ITM_CONTEXTS 16384u

/* Invariants:  parent < the node's own number, so that each walk ends;
 *              return_address and parent never change once `len` is above the number. */
struct itm_context_node {
	uintptr_t return_address;
	uint16_t parent;
	uint16_t latest; /* the child that was looked up last, 0: none yet; only the owner uses it */
};

/* Invariant: `places` is a hash table by parent and return address, and holds the numbers 1 .. len - 1. */
struct itm_contexts {
	volatile AO_t len;     /* numbers below it are nodes; partner: itm_context_frames() */
	volatile AO_t dropped; /* how often no number was left */
	struct itm_context_node nodes[ITM_CONTEXTS];
	uint16_t places[2 * ITM_CONTEXTS];
};

/* NULL: no memory. A tree is never freed, because another thread may be reading it. */
struct itm_contexts *itm_contexts_create(void);

uint32_t itm_context_child_slow(struct itm_contexts *contexts, uint32_t parent, uintptr_t return_address);

/* The number of the context whose innermost return address is `return_address` and whose callers are `parent`; 0: no
 * number is left. For the owner only. Requires: parent is a number of this tree. */
static inline uint32_t itm_context_child(struct itm_contexts *contexts, uint32_t parent, uintptr_t return_address)
{
	REQUIRES(parent < AO_load(&contexts->len));
	uint32_t latest = contexts->nodes[parent].latest;
	if (latest != 0 && contexts->nodes[latest].return_address == return_address)
		return latest;
	return itm_context_child_slow(contexts, parent, return_address);
}

/* Stores the return addresses of `context`, innermost first, at most `cap`. Returns how many; 0 if it is no number of
 * this tree. */
size_t itm_context_frames(const struct itm_contexts *contexts, uint32_t context, uintptr_t *frames, size_t cap);

/* How often a context was looked up and no number was left for it. */
static inline size_t itm_contexts_dropped(const struct itm_contexts *contexts)
{
	return AO_load(&contexts->dropped);
}

#endif
