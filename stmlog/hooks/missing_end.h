/* SPDX-License-Identifier: MIT
 * Makes up for a missing call: a transaction begins within a pause, wait, other work or blocked time, which should have
 * been ended before. Otherwise all later hooks of the thread would be refused.
 */
#ifndef STMLOG_MISSING_END_H
#define STMLOG_MISSING_END_H

#include "thread.h"

/* Called when a first attempt (`is_retry`: a further one) begins in a state that does not allow it. If that state is a
 * pause, wait, other work or blocked time, ends it and the attempt that it interrupts, and returns true: the attempt
 * may begin. Returns false otherwise, and changes nothing. Counts the mistake in both cases. */
bool missing_end_make_up(struct stmlog_thread *thread, bool is_retry);

#endif
