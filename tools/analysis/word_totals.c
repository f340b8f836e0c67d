/* SPDX-License-Identifier: MIT */
#include "word_totals.h"

#include <stdlib.h>
#include <string.h>

#include <stmlog/timeline.h>

#include "bars.h"
#include "check.h"
#include "event.h"
#include "memory.h"

const char *word_of_event(const struct recording *recording, const struct stmlog_event_record *event)
{
	uint32_t word = event_place(recording, event).word;
	return word != 0 ? recording_string(recording, word) : NULL;
}

struct adding {
	struct word_totals *totals; /* one of each wait */
	const struct recording *recording;
};

static void add(struct adding *adding, size_t index, uint64_t time_ns)
{
	struct word_totals *totals = adding->totals;
	const struct stmlog_event_record *event = &adding->recording->events[index];
	totals->totals = memory_grown(totals->totals, totals->len, &totals->cap, sizeof *totals->totals);
	totals->totals[totals->len++] =
		(struct word_total){word_of_event(adding->recording, event), event->kind, 1, time_ns};
}

static void add_touch(void *arg, const struct bar *bar)
{
	if (bar->row == STMLOG_ROW_TOUCHES)
		add(arg, bar->index, bar->closed_by != BAR_NONE ? bar->until_ns - bar->from_ns : 0);
}

static void add_touches(struct adding *adding)
{
	static const struct bar_sink sink = {.close = add_touch};
	struct bar_lanes lanes = bar_lanes_of(adding->recording);
	bars_walk(adding->recording, &lanes, &sink, adding, NULL);
	bar_lanes_fini(&lanes);
}

/* A suspension lasts up to the next segment of its task. */
static void add_suspensions(struct adding *adding, const struct tasks *tasks)
{
	for (size_t i = 0; i < tasks->segment_count; i++) {
		const struct segment *segment = &tasks->segments[i];
		bool has_next = i + 1 < tasks->segment_count && segment[1].task == segment->task;
		if (segment->end != TASKS_NONE &&
			adding->recording->events[segment->end].kind == STMLOG_EVENT_TASK_SUSPEND)
			add(adding, segment->end, has_next ? segment[1].from_ns - segment->until_ns : 0);
	}
}

/* No word comes first. */
static int compare_words(const struct word_total *a, const struct word_total *b)
{
	if (a->word == NULL || b->word == NULL)
		return (a->word != NULL) - (b->word != NULL);
	return strcmp(a->word, b->word);
}

static int by_name(const void *a, const void *b)
{
	const struct word_total *left = a, *right = b;
	return left->kind != right->kind ? left->kind - right->kind : compare_words(left, right);
}

static int longest_first(const void *a, const void *b)
{
	const struct word_total *left = a, *right = b;
	if (left->time_ns != right->time_ns)
		return left->time_ns > right->time_ns ? -1 : 1;
	return by_name(a, b);
}

static void sum_up(struct word_totals *totals)
{
	size_t kept = 0;
	if (totals->len == 0)
		return;
	qsort(totals->totals, totals->len, sizeof *totals->totals, by_name);
	for (size_t i = 0; i < totals->len; i++) {
		if (kept > 0 && by_name(&totals->totals[kept - 1], &totals->totals[i]) == 0) {
			totals->totals[kept - 1].count++;
			totals->totals[kept - 1].time_ns += totals->totals[i].time_ns;
		} else {
			totals->totals[kept++] = totals->totals[i];
		}
	}
	totals->len = kept;
	qsort(totals->totals, totals->len, sizeof *totals->totals, longest_first);
}

struct word_totals word_totals_of(const struct recording *recording, const struct tasks *tasks)
{
	struct word_totals totals = {.len = 0};
	struct adding adding = {&totals, recording};
	REQUIRES(tasks->fault == NULL);
	add_touches(&adding);
	add_suspensions(&adding, tasks);
	sum_up(&totals);
	return totals;
}

void word_totals_fini(struct word_totals *totals)
{
	free(totals->totals);
	*totals = (struct word_totals){.len = 0};
}
