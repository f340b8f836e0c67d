/* SPDX-License-Identifier: MIT
 *
 * The transaction for which a commit has waited, if the other threads' rings were not looked at before. Most
 * transactions are not measured, and their commits look at nothing. But a wait that is so long that the waiting thread
 * itself loses the processor is noticed after the commit (preemption.h), and so is each transaction whose thread was
 * off the processor within it: its thread records it in its ring. On a busy machine most of what is lost are such
 * waits, a few milliseconds each.
 *
 * A transaction may let go of the waiting thread before it has noticed its interruption: when it extends its snapshot.
 * Then it is still under way.
 */
#ifndef ITM_INTERRUPTED_H
#define ITM_INTERRUPTED_H

#include "others.h"

/* The calling thread, whose ring is `own`, has waited since the time stamp `from`, for about `ns`. Of several
 * transactions that were interrupted meanwhile, finds the one that was off the processor for the longest time. If there
 * was none, finds the transaction under way, if it is the only one. The grade is certain if only one other thread
 * transacts, and was off the processor for half of the wait or more; else candidate. `ring` is NULL if none was
 * found. */
struct itm_blocker itm_interrupted_find_blocker(const struct itm_ring *own, uint64_t from, uint64_t ns);

#endif
