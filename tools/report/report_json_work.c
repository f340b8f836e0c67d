/* SPDX-License-Identifier: MIT
 * The program's own work as JSON: the timeline's size, tasks, what they waited for, and regions. */
#include <math.h>
#include <stdlib.h>

#include "json_value.h"
#include "report_json.h"
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

static json_t *tag_object(const struct region_tag *tag)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "tag", string(tag->tag), "count",
		integer(tag->count), "outermost", integer(tag->outermost), "work", integer(tag->work), "inclusive_ns",
		integer(tag->inclusive_ns), "exclusive_ns", integer(tag->exclusive_ns), "speed", or_null(tag->speed),
		"each_ns", spread_object(&tag->each_ns, tag->ended), "each_speed",
		spread_object(&tag->each_speed, tag->worked));
}

static json_t *tags_of(const struct work *work)
{
	json_t *array = json_array();
	for (size_t i = 0; i < work->tag_count; i++)
		json_array_append_new(array, tag_object(&work->tags[i]));
	return array;
}

static json_t *waits_of(const struct work *work, const struct recording *recording)
{
	json_t *array = json_array();
	size_t len;
	struct task_wait_sum *waits = work_wait_sums(work, recording, &len);
	for (size_t i = 0; i < len; i++) {
		const struct task_wait_sum *wait = &waits[i];
		json_array_append_new(
			array, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "wait", task_wait_names[wait->kind], "word",
				       string(wait->word), "count", integer(wait->count), "abandoned",
				       integer(wait->abandoned), "time_ns", integer(wait->time_ns), "handled_ns",
				       integer(wait->handled_ns)));
	}
	free(waits);
	return array;
}

static json_t *tasks_object(const struct work *work, const struct recording *recording)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "count", integer(work->task_count), "segments",
		integer(work->segment_count), "work_ns", integer(work_time_ns(work)), "longest_chain_ns",
		integer(work_longest_ns(work)), "waits", waits_of(work, recording));
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
	if (!is_known || work.task_count > 0)
		report_json_member(report, "tasks", is_known ? tasks_object(&work, report->recording) : json_null());
	if (!is_known || work.region_count > 0)
		report_json_member(report, "regions", is_known ? tags_of(&work) : json_null());
	work_fini(&work);
}

void report_json_work(const struct report *report)
{
	write_timeline(report);
	write_sums(report);
}
