/* SPDX-License-Identifier: MIT
 *
 * Counters of the machine and the kernel, for the work of regions where nobody can tell it in advance:
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
 * A counter counts what the thread that has opened it does in user space, and nobody else. It is perf_event_open(2)'s,
 * and pinned: it counts all the time or not at all, and is never scaled up. Reading it is a system call.
 * After a fork the child opens its own.
 */
#ifndef STMLOG_MEASURE_H
#define STMLOG_MEASURE_H

#include <stdint.h>

#include <stmlog/compiler.h>

STMLOG_BEGIN_DECLS

enum stmlog_measured {
	STMLOG_MEASURE_CACHE_MISSES, /* of the last level, as the processor understands it */
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

/* Starts to count for the calling thread. Returns 0 or a negative errno value: -ENOENT, no such counter on this machine
 * (virtual ones often have none); -EACCES or -EPERM, not allowed; -ENOSYS; -EINVAL. Then *measure is closed, and counts
 * 0. Keeps errno. */
STMLOG_API int stmlog_measure_open(struct stmlog_measure *measure, enum stmlog_measured what);

/* What such a value means and what can be done about it; static. */
STMLOG_API const char *stmlog_measure_why(int error);

/* What was counted up to now; 0 where it is closed, or the counter had to go to somebody else. Keeps errno. */
STMLOG_API uint64_t stmlog_measure_now(const struct stmlog_measure *measure);

/* And since then; 0 if one of the two could not be read. */
static inline uint64_t stmlog_measure_since(const struct stmlog_measure *measure, uint64_t before)
{
	uint64_t now = stmlog_measure_now(measure);
	return now > before ? now - before : 0;
}

STMLOG_API void stmlog_measure_close(struct stmlog_measure *measure);

STMLOG_END_DECLS

#endif
