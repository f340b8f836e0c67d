/* SPDX-License-Identifier: MIT
 * A transaction begins within a pause, wait, other work or a blocked time: the call that should have ended it is
 * missing. Without this, all later hooks of the thread would be refused.
 */
#ifndef STMLOG_MISSING_END_H
#define STMLOG_MISSING_END_H

#include "thread.h"

/* A first attempt begins (`is_retry`: a further one) while another state is under way than it requires. If that is an
 * interruption of the account, ends it, and the attempt that it interrupts, and returns true: the attempt may begin.
 * Returns false otherwise, and changes nothing. Counts the mistake in both cases. */
bool missing_end_make_up(struct stmlog_thread *thread, bool is_retry);

#endif
