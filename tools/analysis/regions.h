/* SPDX-License-Identifier: MIT
 * The regions of a timeline: what work was done in how much time, and per tag the sums.
 *
 * A region's time is that of its tasks: of the task it was begun in, while that is worked on, and of all tasks that
 * were created in it, by these, and so on; on any thread. Where its thread works on no task, it is the thread's time. A
 * thread that waits for a task (a touch) works on none meanwhile.
 */
#ifndef REGIONS_H
#define REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording.h"
#include "tasks.h"

/* What is begun in a region, or by a task that was created in it, is in it as a whole: the time of a region is its own
 * and that of the regions whose parent it is. */
struct region {
	const char *tag;
	uint32_t thread;
	size_t begin;  /* the event */
	size_t end;    /* the event, perhaps the detaching of its thread; TASKS_NONE: open at the end, or a gap came */
	size_t parent; /* the region around it, perhaps of the task that has created this one's; TASKS_NONE */
	uint64_t work; /* what its two events say, together */
	uint64_t own_ns;  /* time in it and in none within it */
	uint64_t time_ns; /* time in it */
	double speed;     /* work per second. No work: 0, in whatever time. Work in no time: infinite */
	double relative;  /* to the fastest of its tag, 0 to 1; infinite ones are 1 and not compared with, and where
			   * nothing of the tag has any speed all are 0 */
};

struct region_tag {
	const char *tag;
	size_t count;
	uint64_t work;         /* of those that lie in no other one of this tag */
	uint64_t inclusive_ns; /* likewise: nothing is counted twice */
	uint64_t exclusive_ns; /* sum of own_ns */
	double speed;          /* work / inclusive_ns, as above */
};

/* Invariants: regions ascend by `begin`; tags by inclusive_ns, longest first, then by name. */
struct regions {
	struct region *regions;
	size_t len;
	struct region_tag *tags;
	size_t tag_count;
	size_t fault_at;
	const char *fault; /* as in tasks.h: the end of a region that another task has begun */
};

/* Requires `tasks` built from this recording without a fault. As tasks_build(). */
bool regions_build(struct regions *regions, const struct recording *recording, const struct tasks *tasks);
void regions_fini(struct regions *regions);

/* The region that this event begins; NULL: none. */
const struct region *regions_find(const struct regions *regions, size_t begin);

#endif
