/* SPDX-License-Identifier: MIT
 * A conflict of two attempts, from its detection to the manager's decision and its consequences. */
#ifndef SMALLSTM_CONTENTION_H
#define SMALLSTM_CONTENTION_H

#include "attempt.h"

/* The thread's attempt conflicts with the attempt in the segment `other`, over `object` (NULL: over becoming
 * inevitable). `overlap`: whether both have touched the same word of it. Requires the lock. If it returns, the other
 * attempt may be out of the way: the caller has to check again. Otherwise the thread's attempt aborts, and this does
 * not return. */
void contention_resolve(struct stm_thread *thread, struct segment *other, enum stmlog_conflict conflict,
	struct stm_object *object, enum stmlog_overlap overlap);

#endif
