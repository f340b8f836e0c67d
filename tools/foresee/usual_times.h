/* SPDX-License-Identifier: MIT
 * Recorded transactions, as the program usually runs them: a window of some milliseconds is replayed again and again,
 * and what happened in it by chance would count too much. */
#ifndef USUAL_TIMES_H
#define USUAL_TIMES_H

#include "streams.h"

/* Changes the times in place: what libitm's begin takes and waits is taken out of the time before a first access, rare
 * long times become usual ones, and an unknown time outside becomes the mean of the known ones. A transaction that ran
 * alone, without accesses, gets those of another one of its site. */
void usual_times(struct streams *streams);

#endif
