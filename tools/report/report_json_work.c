/* SPDX-License-Identifier: MIT
 * The JSON report's members on tasks and regions. */
#include <math.h>

#include "json_value.h"
#include "report_json.h"
#include "work.h"

static json_t *tag_object(const struct region_tag *tag)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "tag", string(tag->tag), "count", integer(tag->count),
		"work", integer(tag->work), "inclusive_ns", integer(tag->inclusive_ns), "exclusive_ns",
		integer(tag->exclusive_ns), "speed", isinf(tag->speed) ? json_null() : json_real(tag->speed));
}

static json_t *tags_of(const struct regions *regions)
{
	json_t *array = json_array();
	for (size_t i = 0; i < regions->tag_count; i++)
		json_array_append_new(array, tag_object(&regions->tags[i]));
	return array;
}

static json_t *tasks_object(const struct tasks *tasks)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "count", integer(tasks->len), "segments",
		integer(tasks->segment_count), "work_ns", integer(tasks_time_ns(tasks)), "longest_chain_ns",
		integer(tasks_longest_ns(tasks)));
}

void report_json_work(const struct report *report)
{
	struct work work;
	if (!work_is_told(report->recording))
		return;
	bool is_known = work_build(&work, report->recording);
	if (!is_known || work.tasks.len > 0)
		report_json_member(report, "tasks", is_known ? tasks_object(&work.tasks) : json_null());
	if (!is_known || work.regions.len > 0)
		report_json_member(report, "regions", is_known ? tags_of(&work.regions) : json_null());
	work_fini(&work);
}
