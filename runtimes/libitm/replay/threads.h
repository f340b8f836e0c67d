/* SPDX-License-Identifier: MIT
 * The threads of the replay. They go through the windows together, again and again: in each, a thread makes the
 * transactions of one stream, until all threads have made theirs. */
#ifndef ITM_REPLAY_THREADS_H
#define ITM_REPLAY_THREADS_H

#include "recorded.h"
#include "steps.h"

struct threads_stream {
	const struct step *steps;
	size_t count;
};

struct threads_result {
	uint64_t commits;
	uint64_t attempts;
	double seconds;     /* the mean of the threads' times */
	uint64_t preempted; /* how often the kernel has taken a processor from a thread */
};

/* Which stream each thread makes in each window: thread t makes streams[t * windows + w] in window w. */
struct threads_schedule {
	struct threads_stream *streams;
	size_t threads, windows; /* at least one of each */
	size_t passes;           /* how often all make their streams of a window before they go on to the next */
};

/* Replays for so many seconds. False: threads could not be started; then the process must end, for those that were
 * started wait. */
bool threads_run(const struct threads_schedule *schedule, const struct gap_scale *scale, double seconds,
	struct threads_result *result);

/* ---- schedule.c ---- */

/* `streams`: the steps of each recorded stream. The schedule has all windows in which any thread has a stream,
 * in their order. Where a thread has none, it makes its stream of the last window before once more; if there is none
 * either, its first stream. The caller frees `streams` of the result, which is NULL if there is no memory. */
struct threads_schedule schedule_make(const struct recorded *recorded, const struct threads_stream *streams);

#endif
