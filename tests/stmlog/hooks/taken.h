/* SPDX-License-Identifier: MIT
 * What this thread does in a timeline, and the timeline that is taken, as text. */
#ifndef TAKEN_H
#define TAKEN_H

#include <stdio.h>

#include <stmlog/timeline.h>

#include "session_fixture.h"
#include "test.h"

/* All that is there, which must be right. */
static inline struct stmlog_timeline *take(void)
{
	struct stmlog_timeline_fault fault;
	struct stmlog_timeline *timeline = stmlog_timeline_take();
	assert_non_null(timeline);
	if (!stmlog_timeline_check(timeline, &fault))
		fail_msg("event %zu (%s): %s", fault.index, stmlog_event_name(timeline->events[fault.index].kind),
			fault.what);
	return timeline;
}

/* One line: kinds in order, with the milliseconds at which they came. */
static inline const char *text_of(const struct stmlog_timeline *timeline)
{
	static char text[4096];
	size_t len = 0;
	text[0] = '\0';
	for (size_t i = 0; i < timeline->len; i++) {
		const struct stmlog_event *event = &timeline->events[i];
		len += (size_t)snprintf(text + len, sizeof text - len, "%s%s@%u", i == 0 ? "" : " ",
			stmlog_event_name(event->kind), (unsigned)((event->time_ns - 1000) / MS));
	}
	return text;
}

static inline void assert_taken(const char *expected)
{
	struct stmlog_timeline *timeline = take();
	assert_string_equal(text_of(timeline), expected);
	stmlog_timeline_destroy(&timeline);
	assert_null(timeline);
}

static inline void step(void)
{
	fake_clock_advance(MS);
}

static inline void commit_one(void)
{
	stmlog_start(me());
	step();
	stmlog_commit(me());
}

#endif
