/* SPDX-License-Identifier: MIT
 *
 * Tracebacks of the calling thread's stack: where an attempt fails, and where a transaction begins, waits or commits.
 * And stacks of transactions for other threads. The callers of a transaction are a number, its *context*, for which a
 * ring has room. A thread that has lost to the transaction, or has waited for it, makes a traceback of that, and of
 * other places in the ring.
 *
 * A context has 14 bits, so that a write can be recorded together with its callers (ring.h). The numbers are nodes of a
 * tree. A node is a return address and the node of the caller to which it returns, so the way from a node to the root
 * is a stack. Another thread that reads a number in a ring can look up its return addresses, at any time and without a
 * lock.
 *
 * Operations on a tree, and which threads may call them:
 *   child     the owner of the ring
 *   frames    any thread, also while the owner adds a child
 *
 * A tree belongs to a ring and outlives its thread. The ring's next owner goes on with it, since an address means the
 * same in all threads.
 */
#ifndef ITM_STACKS_H
#define ITM_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include <atomic_ops.h>

#include <stmlog/traceback.h>

#include "requires.h"
#include "ring.h"
#include "thread.h"

struct native_step;

/* ---- trace.c: tracebacks of the calling thread ---- */

/* Creates and destroys the calling thread's storage for tracebacks. Without memory all tracebacks are TB_UNKNOWN. */
void itm_traces_create(void);
void itm_traces_destroy(struct tb_stack *stack);

/* Has the thread's stack get free frames, which takes a lock: the first traceback is mostly taken within a transaction,
 * for which others wait. */
void itm_traces_reserve(struct tb_stack *stack);

/* To be called in libitm's undo action. Takes the traceback of the attempt that is being rolled back: sets trace and
 * trace_kind. `slot` is where the undo action's own return address lies. */
void itm_trace(uintptr_t *slot);

/* The traceback from the return address of the entry called last, and from that of the outermost begin. Borrowed until
 * the next traceback is taken. */
struct tb_frame *itm_trace_entry(void);
struct tb_frame *itm_trace_begin(void);

/* The number of the callers of the outermost begin (below); 0: not known. */
uint32_t itm_trace_callers(void);

/* The traceback of a read that the transaction under way made before: its return address, and the traceback of begin.
 * Borrowed as above. */
struct tb_frame *itm_trace_read(uintptr_t site);

/* To be called in the hook of a commit, for a transaction that is not measured closely, and began at `site`: the
 * traceback of the place where it began. Borrowed as above. */
struct tb_frame *itm_trace_unmeasured(uintptr_t site);

/* ---- contexts.c: the tree ---- */

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

/* ---- contexts.c: the callers of a measured transaction ---- */

/* barriers.S records the context of the measured transaction under way with each write, and the ring shows it to
 * threads that wait. So a victim knows the callers of its culprit. Begin's return address is the innermost of them;
 * calls within the transaction are not known. Other transactions have the number 0.
 *
 * Callers are recorded where a part of the transactions is measured, and with paths, since both look up the traceback
 * of begin anyway or can afford it. Otherwise each transaction would have to. */

/* To be called when the calling thread has its ring, and before it releases that. Without memory callers are not
 * recorded. */
void itm_callers_create(void);
void itm_callers_destroy(void);

/* The number of the calling thread's stack, innermost step first; 0 if callers are not recorded, or no number is left.
 */
uint32_t itm_callers_number(const struct native_step *steps, size_t len);

/* The measured transaction begins: before the ring has its site. */
static inline void itm_callers_show(struct itm_thread *self, uint32_t number)
{
	self->context = (uint16_t)number;
	AO_store(&self->ring->context, number);
}

/* It is over: before the ring says so. A thread that then finds the site of the next transaction does not find the
 * callers of this one. */
static inline void itm_callers_hide(struct itm_thread *self)
{
	itm_callers_show(self, 0);
}

/* Stores the return addresses of the callers `context` from another thread's ring, innermost first, at most `cap`.
 * Begin's return address is among them. Returns how many. */
size_t itm_callers_of(const struct itm_ring *ring, uint32_t context, uintptr_t *callers, size_t cap);

/* How often callers could not be recorded, because there were too many different ones. */
size_t itm_callers_dropped(void);

/* ---- contexts.c: tracebacks of other transactions ---- */

/* The latest ones are kept: a thread mostly loses to the same few transactions, and a traceback with the same address
 * is found without reading its frames (timelog_select()). */

/* The traceback of these sites, innermost first. Borrowed: it lasts until the next call of the thread. Requires that
 * the thread is attached. Allocates only where the thread's stack has no free frames; TB_UNKNOWN: there is no memory.
 */
struct tb_frame *itm_remote_traceback(const struct tb_site *sites, size_t len);

/* Releases the kept ones into `stack`. */
void itm_remote_destroy(struct itm_thread *self, struct tb_stack *stack);

#endif
