/* SPDX-License-Identifier: MIT
 * The threads of the replay, one for each stream. */
#ifndef ITM_REPLAY_THREADS_H
#define ITM_REPLAY_THREADS_H

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

/* Replays each stream again and again, all at the same time, for so many seconds. False: threads could not be started;
 * then the process must end, for those that were started wait. */
bool threads_run(const struct threads_stream *streams, size_t count, const struct gap_scale *scale, double seconds,
	struct threads_result *result);

#endif
