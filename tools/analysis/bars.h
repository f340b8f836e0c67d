/* SPDX-License-Identifier: MIT
 * A timeline as what is to be drawn of it: for each thread a lane; in each lane rows of bars that nest; points; and
 * arrows from a culprit to its victim. Events in, in their order, bars and points out. Of the whole timeline only the
 * lanes are kept, and for each event where what it begins ends: much less than the timeline itself.
 *
 * Requires a timeline that stmlog_timeline_check() finds nothing wrong with; for any other nothing bad happens, but
 * bars may not nest.
 */
#ifndef BARS_H
#define BARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/timeline.h>

#include "progress.h"
#include "ranks.h"
#include "recording.h"

#define BAR_NONE RANKS_NONE

/* Opened by an event of kind start, wait-begin, task-start, task-resume, touch-pause, region-begin or missing. */
struct bar {
	size_t lane;
	enum stmlog_row row;
	size_t depth;     /* how many bars of its row it lies in */
	size_t index;     /* of the event that opens it */
	size_t closed_by; /* the event that closes it: its partner, or a gap or the detaching of its thread, which close
			   * all that is open there; BAR_NONE: open to the end, and of a gap, which says itself how
			   * long it is */
	uint64_t from_ns;
	uint64_t until_ns;
};

/* What has no length: an event of another kind than those above and than those which have closed a bar; of these only
 * aborts, before their bar is closed, and what has no bar to close since its beginning was lost. */
struct bar_point {
	size_t lane;
	size_t index;
	uint64_t time_ns;
	bool is_culprit; /* not the event itself: in the lane of the one who has caused that abort, at the same time */
	uint64_t arrow;  /* 0: no arrow begins or ends here; else its number. One for each abort whose culprit is known:
			  * it begins at a point of the culprit's, an abort-other or one with is_culprit, and ends at the
			  * abort. Numbers ascend with the aborts, and say which: its index + 1 */
	bool is_arrow_end;
	size_t arrow_lane; /* of an end: where it comes from */
	uint64_t arrow_ns;
};

/* Who is told; NULL: nobody. */
struct bar_sink {
	void (*open)(void *arg, const struct bar *bar);
	void (*close)(void *arg, const struct bar *bar);
	void (*point)(void *arg, const struct bar_point *point);
};

struct bar_lane {
	uint32_t thread;
	const char *name; /* "" where it has none */
};

/* Invariant: lane i is of the thread with rank i. */
struct bar_lanes {
	struct ranks threads;   /* all that have events, or were in another thread's way */
	struct bar_lane *lanes; /* ascending threads */
	size_t len;
};

struct bar_lanes bar_lanes_of(const struct recording *recording);
void bar_lanes_fini(struct bar_lanes *lanes);

/* The lane of a thread; BAR_NONE: it has none. */
size_t bar_lane_of(const struct bar_lanes *lanes, uint32_t thread);

/* Tells the sink of all bars and points, in the order of the events. A gap's bar is closed when its thread's next event
 * comes, at the time that the gap itself says. */
void bars_walk(const struct recording *recording, const struct bar_lanes *lanes, const struct bar_sink *sink, void *arg,
	struct progress *progress);

#endif
