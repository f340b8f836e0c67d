/* SPDX-License-Identifier: MIT
 * Tasks, segments, regions and tags. They refer to each other by ordinals, and to events by their indices. They are
 * written number by number, since a task may have as many segments as there are events. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "export_json.h"
#include "json_value.h"

/* Writes a member of an object, and `before` in front of it. Integers are limited as in json_value.h. */
static void write_number(const struct export *export, const char *before, const char *name, uint64_t number)
{
	fprintf(export->out, "%s\"%s\": %" PRIu64, before, name, number <= INT64_MAX ? number : INT64_MAX);
}

static void write_ordinal(const struct export *export, const char *before, const char *name, size_t ordinal)
{
	if (ordinal != TASKS_NONE)
		write_number(export, before, name, ordinal);
	else
		fprintf(export->out, "%s\"%s\": null", before, name);
}

/* JSON has no infinity: it becomes null. */
static void write_real(const struct export *export, const char *before, const char *name, double real)
{
	fprintf(export->out, "%s\"%s\": ", before, name);
	export_json_value(export, isinf(real) ? json_null() : json_real(real));
}

static void write_tag(const struct export *export, const char *tag)
{
	fputs("{\"tag\": ", export->out);
	export_json_value(export, string(tag));
}

static void write_task(const struct export *export, size_t ordinal)
{
	const struct task *task = &export->work->tasks.tasks[ordinal];
	write_number(export, "{", "task", task->number);
	write_ordinal(export, ", ", "created_by", task->created_by);
	write_ordinal(export, ", ", "parent", task->parent);
	fputs(", \"segments\": [", export->out);
	for (size_t i = 0; i < task->segment_count; i++)
		fprintf(export->out, "%s%zu", i > 0 ? ", " : "", task->first_segment + i);
	fputs("]}", export->out);
}

static void write_segment(const struct export *export, size_t ordinal)
{
	const struct segment *segment = &export->work->tasks.segments[ordinal];
	write_number(export, "{", "task", segment->task);
	write_number(export, ", ", "thread", segment->thread);
	write_number(export, ", ", "begin", segment->begin);
	write_ordinal(export, ", ", "end", segment->end);
	write_number(export, ", ", "from_ns", segment->from_ns);
	write_number(export, ", ", "until_ns", segment->until_ns);
	fputs(", \"children\": [", export->out);
	for (size_t i = 0; i < segment->child_count; i++)
		fprintf(export->out, "%s%zu", i > 0 ? ", " : "", segment->children[i]);
	fputs("]}", export->out);
}

static void write_region(const struct export *export, size_t ordinal)
{
	const struct region *region = &export->work->regions.regions[ordinal];
	write_tag(export, region->tag);
	write_number(export, ", ", "thread", region->thread);
	write_number(export, ", ", "begin", region->begin);
	write_ordinal(export, ", ", "end", region->end);
	write_ordinal(export, ", ", "parent", region->parent);
	write_number(export, ", ", "work", region->work);
	write_number(export, ", ", "own_ns", region->own_ns);
	write_number(export, ", ", "time_ns", region->time_ns);
	write_real(export, ", ", "speed", region->speed);
	write_real(export, ", ", "relative", region->relative);
	fputs("}", export->out);
}

static void write_tag_sums(const struct export *export, size_t ordinal)
{
	const struct region_tag *tag = &export->work->regions.tags[ordinal];
	write_tag(export, tag->tag);
	write_number(export, ", ", "count", tag->count);
	write_number(export, ", ", "work", tag->work);
	write_number(export, ", ", "inclusive_ns", tag->inclusive_ns);
	write_number(export, ", ", "exclusive_ns", tag->exclusive_ns);
	write_real(export, ", ", "speed", tag->speed);
	fputs("}", export->out);
}

static void write_array(const struct export *export, const char *name, size_t len,
	void (*write_one)(const struct export *export, size_t ordinal))
{
	fprintf(export->out, ",\n \"%s\": [", name);
	for (size_t i = 0; i < len; i++) {
		fputs(i > 0 ? ",\n  " : "\n  ", export->out);
		write_one(export, i);
	}
	fputs("]", export->out);
}

void export_json_work(const struct export *export)
{
	const struct work *work = export->work;
	write_array(export, "tasks", work->tasks.len, write_task);
	write_array(export, "segments", work->tasks.segment_count, write_segment);
	write_array(export, "regions", work->regions.len, write_region);
	write_array(export, "tags", work->regions.tag_count, write_tag_sums);
}
