/* SPDX-License-Identifier: MIT
 * The threads that a timeline tells of. */
#include <stdlib.h>

#include <stmlog/timeline.h>

#include "bars.h"
#include "event.h"
#include "memory.h"

static int by_number(const void *a, const void *b)
{
	const uint32_t *left = a, *right = b;
	return *left < *right ? -1 : *left > *right;
}

/* Of all events, with repetitions: sorted and freed of them when there are `most`, twice as many as there were
 * different ones then. */
struct numbers {
	uint32_t *at;
	size_t len, cap, most;
	uint32_t last;
};

static void sort_once(struct numbers *numbers)
{
	size_t len = 0;
	if (numbers->len > 0)
		qsort(numbers->at, numbers->len, sizeof *numbers->at, by_number);
	for (size_t i = 0; i < numbers->len; i++)
		if (len == 0 || numbers->at[len - 1] != numbers->at[i])
			numbers->at[len++] = numbers->at[i];
	numbers->len = len;
	numbers->most = len < 2048 ? 4096 : 2 * len;
}

static void add(struct numbers *numbers, uint32_t thread)
{
	if (thread == 0 || thread == numbers->last)
		return;
	numbers->at = memory_grown(numbers->at, numbers->len, &numbers->cap, sizeof *numbers->at);
	numbers->at[numbers->len++] = numbers->last = thread;
	if (numbers->len == numbers->most)
		sort_once(numbers);
}

static int by_thread(const void *a, const void *b)
{
	const struct stmlog_thread_record *left = a, *right = b;
	return left->id < right->id ? -1 : left->id > right->id;
}

static const char *name_of(const struct recording *recording, uint32_t thread)
{
	struct stmlog_thread_record key = {.id = thread};
	const struct stmlog_thread_record *found = NULL;
	if (recording->thread_count > 0)
		found = bsearch(&key, recording->threads, recording->thread_count, sizeof key, by_thread);
	return found != NULL ? recording_string(recording, found->name) : "";
}

struct bar_lanes bar_lanes_of(const struct recording *recording)
{
	struct numbers numbers = {.most = 4096};
	for (size_t i = 0; i < recording->event_count; i++) {
		add(&numbers, recording->events[i].thread);
		add(&numbers, event_other(&recording->events[i]));
	}
	sort_once(&numbers);
	struct bar_lanes lanes = {memory_zeroed(numbers.len, sizeof *lanes.lanes), numbers.len};
	for (size_t i = 0; i < lanes.len; i++)
		lanes.lanes[i] = (struct bar_lane){numbers.at[i], name_of(recording, numbers.at[i])};
	free(numbers.at);
	return lanes;
}

void bar_lanes_fini(struct bar_lanes *lanes)
{
	free(lanes->lanes);
	*lanes = (struct bar_lanes){NULL, 0};
}

size_t bar_lane_of(const struct bar_lanes *lanes, uint32_t thread)
{
	size_t low = 0, high = lanes->len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (lanes->lanes[middle].thread < thread)
			low = middle + 1;
		else
			high = middle;
	}
	return low < lanes->len && lanes->lanes[low].thread == thread ? low : BAR_NONE;
}
