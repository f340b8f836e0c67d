/* SPDX-License-Identifier: MIT
 * What a drawing of a timeline shows: a lane for each thread; in each lane rows of nested bars (enum stmlog_row);
 * points; and arrows from a culprit to its victim. Calls a sink with bars and points in the order of the events. Memory
 * is needed for the lanes, and for one number per event.
 */
#ifndef BARS_H
#define BARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/timeline.h>

#include "diag.h"
#include "dictionary.h"
#include "recording.h"

#define BAR_NONE RANKS_NONE

/* A span of events.def that has a row. */
struct bar {
	size_t lane;
	enum stmlog_row row;
	size_t depth;     /* how many bars of its row it lies in */
	size_t index;     /* of the event that opens it */
	size_t closed_by; /* the event that closes it, perhaps a gap or the detach of its thread, which close all bars
			   * there; BAR_NONE: it is open to the end, or is a gap, which has its end in itself */
	uint64_t from_ns;
	uint64_t until_ns;
};

/* An event that neither opens nor closes a bar; an abort, before its bar is closed; or an event without a bar to close,
 * because the beginning is missing. */
struct bar_point {
	size_t lane;
	size_t index;
	uint64_t time_ns;
	bool is_culprit; /* stands in the culprit's lane for an abort in another lane, at the same time */
	uint64_t arrow;  /* the number of the arrow that begins or ends here: 1 + the index of the abort; 0: none. There
			  * is an arrow for each abort whose culprit is known. It begins at an abort-other or a point
			  * with is_culprit, in the culprit's lane, and ends at the abort */
	bool is_arrow_end;
	size_t arrow_lane; /* of an end: lane and time of the beginning */
	uint64_t arrow_ns;
};

/* Each may be NULL. */
struct bar_sink {
	void (*open)(void *arg, const struct bar *bar);
	void (*close)(void *arg, const struct bar *bar);
	void (*point)(void *arg, const struct bar_point *point);
};

struct bar_lane {
	uint32_t thread;
	uint32_t tid;     /* for other tools: the system's number of the thread, if each lane has one and no two the
			   * same; otherwise `thread`. So numbers of both kinds are never mixed */
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

/* The lane of a thread; BAR_NONE: the thread has none. */
size_t bar_lane_of(const struct bar_lanes *lanes, uint32_t thread);

/* Calls the sink for all bars and points, in the order of the events. The bar of a gap is closed when the next event of
 * its thread comes, with the end that the gap has in itself. Only in a timeline in which event_timeline_check() finds
 * no fault bars are certain to nest. */
void bars_walk(const struct recording *recording, const struct bar_lanes *lanes, const struct bar_sink *sink, void *arg,
	struct progress *progress);

#endif
