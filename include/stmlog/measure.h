/* SPDX-License-Identifier: MIT
 *
 * Counters of the processor and the kernel, as the work of a region (timeline.h) that is not known in advance:
 *
 *   struct stmlog_measure misses;
 *   int error = stmlog_measure_open(&misses, STMLOG_MEASURE_CACHE_MISSES);
 *   if (error != 0)
 *           fprintf(stderr, "cache misses are not counted: %s\n", stmlog_measure_why(error));
 *   ...
 *   uint64_t before = stmlog_measure_now(&misses);
 *   stmlog_region_begin(thread, "sort", 0);
 *   sort();
 *   stmlog_region_end(thread, stmlog_measure_since(&misses, before));
 *
 * A counter counts only what the thread that opened it does, in user space. It is one of perf_event_open(2), and
 * pinned: it counts all the time or not at all, and is never scaled. Reading it is a system call. A forked child must
 * open its own.
 */
#ifndef STMLOG_MEASURE_H
#define STMLOG_MEASURE_H

#include <stdint.h>

#include <stmlog/compiler.h>

STMLOG_BEGIN_DECLS

enum stmlog_measured {
	STMLOG_MEASURE_CACHE_MISSES, /* of the last level, as the processor defines it */
	STMLOG_MEASURE_INSTRUCTIONS,
	STMLOG_MEASURE_CYCLES,
	STMLOG_MEASURE_BRANCH_MISSES,
	STMLOG_MEASURE_PAGE_FAULTS,
	STMLOG_MEASURE_CPU_NS, /* time on a processor */
	STMLOG_MEASURES
};

/* Private members. */
struct stmlog_measure {
	int file; /* -1: not open */
};

/* Starts to count for the calling thread. Returns 0 or a negative errno value: -ENOENT, this machine has no such
 * counter (virtual machines often have none); -EACCES or -EPERM, not allowed; -ENOSYS; -EINVAL. After an error *measure
 * is closed, and its count is 0. Keeps errno. */
STMLOG_API int stmlog_measure_open(struct stmlog_measure *measure, enum stmlog_measured what);

/* What an error of stmlog_measure_open() means, and what can be done about it. A static string. */
STMLOG_API const char *stmlog_measure_why(int error);

/* The count up to now; 0 if *measure is closed, or the kernel gave the counter to another user. Keeps errno. */
STMLOG_API uint64_t stmlog_measure_now(const struct stmlog_measure *measure);

/* The count since `before` was read; 0 if one of the two could not be read. */
STMLOG_INLINE uint64_t stmlog_measure_since(const struct stmlog_measure *measure, uint64_t before)
{
	uint64_t now = stmlog_measure_now(measure);
	return now > before ? now - before : 0;
}

/* Closes the counter. */
STMLOG_API void stmlog_measure_close(struct stmlog_measure *measure);

STMLOG_END_DECLS

#endif
