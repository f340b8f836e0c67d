/* SPDX-License-Identifier: MIT
 * What is done when an attempt meets another one. */
#ifndef SMALLSTM_CONTENTION_H
#define SMALLSTM_CONTENTION_H

#include "attempt.h"

/* With the lock held. Returns when the other one is, or may be, out of the way: look again. Otherwise the
 * attempt aborts, and this does not return. `object` is NULL when they did not meet over one. */
void contention_meet(
	struct stm_thread *thread, struct segment *other, enum stmlog_conflict conflict, struct stm_object *object);

#endif
