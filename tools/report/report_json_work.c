/* SPDX-License-Identifier: MIT
 * The program's own work as JSON: the timeline's size, tasks, what they waited for, and regions. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "json_value.h"
#include "region_spread.h"
#include "report_json.h"
#include "task_waits.h"
#include "work.h"

/* Null of an infinite value, which JSON cannot have. */
static json_t *or_null(double value)
{
	return isinf(value) ? json_null() : json_real(value);
}

/* Null if it is a spread of no values. */
static json_t *spread_object(const struct statistics_spread *spread, size_t count)
{
	if (count == 0)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "min", or_null(spread->min), "p25", or_null(spread->low),
		"median", or_null(spread->median), "p75", or_null(spread->high), "max", or_null(spread->max));
}

static json_t *tag_object(const struct region_tag *tag, const struct region_spread *spread)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "tag", string(tag->tag), "count",
		integer(tag->count), "outermost", integer(tag->outermost), "work", integer(tag->work), "inclusive_ns",
		integer(tag->inclusive_ns), "exclusive_ns", integer(tag->exclusive_ns), "speed", or_null(tag->speed),
		"each_ns", spread_object(&spread->time_ns, spread->ended), "each_speed",
		spread_object(&spread->speed, spread->worked));
}

static json_t *tags_of(const struct regions *regions)
{
	json_t *array = json_array();
	struct region_spread *spreads = region_spreads(regions);
	for (size_t i = 0; i < regions->tag_count; i++)
		json_array_append_new(array, tag_object(&regions->tags[i], &spreads[i]));
	free(spreads);
	return array;
}

json_t *report_json_task_waits(const struct recording *recording, const struct tasks *tasks)
{
	json_t *array = json_array();
	REQUIRES(tasks->fault == NULL);
	struct task_waits waits = task_waits_of(recording, tasks);
	for (size_t i = 0; i < waits.len; i++) {
		const struct task_wait *wait = &waits.waits[i];
		json_array_append_new(
			array, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "wait", task_wait_names[wait->kind], "word",
				       string(wait->word), "count", integer(wait->count), "abandoned",
				       integer(wait->abandoned), "time_ns", integer(wait->time_ns), "handled_ns",
				       integer(wait->handled_ns)));
	}
	task_waits_fini(&waits);
	return array;
}

static json_t *tasks_object(const struct recording *recording, const struct tasks *tasks)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "count", integer(tasks->len), "segments",
		integer(tasks->segment_count), "work_ns", integer(tasks_time_ns(tasks)), "longest_chain_ns",
		integer(tasks_longest_ns(tasks)), "waits", report_json_task_waits(recording, tasks));
}

static void write_timeline(const struct report *report)
{
	const struct recording *recording = report->recording;
	if (recording->has_timeline)
		report_json_member(report, "timeline",
			json_pack("{s:o, s:o}", "events", integer(recording->event_count), "bytes",
				integer(recording->info.events_bytes)));
}

/* Writes the sums of the program's tasks and regions, if there are any; null if the timeline contradicts itself. */
static void write_sums(const struct report *report)
{
	struct work work;
	if (!work_is_told(report->recording))
		return;
	bool is_known = work_build(&work, report->recording);
	if (!is_known || work.tasks.len > 0)
		report_json_member(
			report, "tasks", is_known ? tasks_object(report->recording, &work.tasks) : json_null());
	if (!is_known || work.regions.len > 0)
		report_json_member(report, "regions", is_known ? tags_of(&work.regions) : json_null());
	work_fini(&work);
}

void report_json_work(const struct report *report)
{
	write_timeline(report);
	write_sums(report);
}
