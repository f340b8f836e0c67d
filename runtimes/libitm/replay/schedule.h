/* SPDX-License-Identifier: MIT
 * Chooses the stream that each thread of the replay makes in each window. */
#ifndef ITM_REPLAY_SCHEDULE_H
#define ITM_REPLAY_SCHEDULE_H

#include "recorded.h"
#include "threads.h"

/* `streams`: the steps of each recorded stream. The windows are those that any thread has, in their order. A thread
 * that has none of a window makes its window before again; or else its first one. The caller frees `streams` of the
 * result, which is NULL if there is no memory. */
struct threads_schedule schedule_make(const struct recorded *recorded, const struct threads_stream *streams);

#endif
