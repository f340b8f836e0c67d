/* SPDX-License-Identifier: MIT
 * The lanes: one for each thread that is in the timeline. */
#include <stdlib.h>

#include "bars.h"
#include "event.h"
#include "memory.h"

static const char *name_of(const struct recording *recording, uint32_t thread)
{
	const struct stmlog_thread_record *found = recording_thread(recording, thread);
	return found != NULL ? recording_string(recording, found->name) : "";
}

static uint32_t system_id_of(const struct recording *recording, uint32_t thread)
{
	const struct stmlog_thread_record *found = recording_thread(recording, thread);
	return found != NULL ? found->system_id : 0;
}

static void number_lanes(const struct recording *recording, struct bar_lanes *lanes)
{
	struct ranks ids = {.len = 0};
	size_t known = 0;
	for (size_t i = 0; i < lanes->len; i++) {
		uint32_t id = system_id_of(recording, lanes->lanes[i].thread);
		known += id != 0;
		ranks_add(&ids, id);
	}
	ranks_sort(&ids);
	bool are_usable = known == lanes->len && ids.len == lanes->len;
	for (size_t i = 0; i < lanes->len; i++) {
		uint32_t thread = lanes->lanes[i].thread;
		lanes->lanes[i].tid = are_usable ? system_id_of(recording, thread) : thread;
	}
	ranks_fini(&ids);
}

struct bar_lanes bar_lanes_of(const struct recording *recording)
{
	struct bar_lanes lanes = {.len = 0};
	for (size_t i = 0; i < recording->event_count; i++) {
		const uint32_t threads[] = {recording->events[i].thread, event_other(&recording->events[i])};
		for (int k = 0; k < 2; k++)
			if (threads[k] != 0)
				ranks_add(&lanes.threads, threads[k]);
	}
	ranks_sort(&lanes.threads);
	lanes.len = lanes.threads.len;
	lanes.lanes = memory_zeroed(lanes.len, sizeof *lanes.lanes);
	for (size_t i = 0; i < lanes.len; i++) {
		uint32_t thread = (uint32_t)lanes.threads.numbers[i];
		lanes.lanes[i] = (struct bar_lane){.thread = thread, .name = name_of(recording, thread)};
	}
	number_lanes(recording, &lanes);
	return lanes;
}

void bar_lanes_fini(struct bar_lanes *lanes)
{
	free(lanes->lanes);
	ranks_fini(&lanes->threads);
	*lanes = (struct bar_lanes){.len = 0};
}

size_t bar_lane_of(const struct bar_lanes *lanes, uint32_t thread)
{
	return ranks_find(&lanes->threads, thread);
}
