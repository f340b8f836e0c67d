/* SPDX-License-Identifier: MIT
 * What a timeline tells of the program's own work: how much of it could go on at once, and what was done at which
 * speed. Recordings in which the program has told nothing of it say nothing here. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "json_value.h"
#include "number.h"
#include "report.h"
#include "report_json.h"
#include "utf8.h"
#include "work.h"

/* ---- text ---- */

static void print_tasks(const struct report *report, const struct tasks *tasks)
{
	uint64_t time_ns = tasks_time_ns(tasks), longest_ns = tasks_longest_ns(tasks);
	if (tasks->len == 0)
		return;
	report_bold(report, "Tasks");
	fprintf(report->out, "  %s in %s segment%s: %s of work, longest chain %s", number_count(tasks->len).text,
		number_count(tasks->segment_count).text, tasks->segment_count == 1 ? "" : "s",
		number_time(time_ns).text, number_time(longest_ns).text);
	if (longest_ns != 0)
		fprintf(report->out, ", parallelism %.1f", (double)time_ns / (double)longest_ns);
	fputc('\n', report->out);
}

static void print_tag(struct libscols_table *table, const struct region_tag *tag)
{
	char *clean = utf8_clean(tag->tag, UTF8_HIDE_CONTROLS);
	struct number count = number_count(tag->count), work = number_count(tag->work);
	struct number inclusive = number_time(tag->inclusive_ns), exclusive = number_time(tag->exclusive_ns);
	struct number speed = number_rate(tag->work, tag->inclusive_ns);
	const char *cells[] = {clean, count.text, work.text, inclusive.text, exclusive.text, speed.text};
	table_row(table, cells);
	free(clean);
}

static void print_tags(const struct report *report, const struct regions *regions)
{
	static const struct table_column columns[] = {{"tag", TABLE_LEFT}, {"count", TABLE_RIGHT},
		{"work", TABLE_RIGHT}, {"inclusive", TABLE_RIGHT}, {"exclusive", TABLE_RIGHT},
		{"work per second", TABLE_RIGHT}, {0}};
	size_t count = regions->tag_count;
	size_t shown = report->options.is_full || count <= report->options.top ? count : report->options.top;
	if (count == 0)
		return;
	report_bold(report, "Regions\n");
	struct libscols_table *table = table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		print_tag(table, &regions->tags[i]);
	table_finish(&table);
	if (shown < count)
		fprintf(report->out, "... %zu more (--full)\n", count - shown);
}

void report_work(const struct report *report)
{
	struct work work;
	if (!work_is_told(report->recording))
		return;
	fputc('\n', report->out);
	if (work_build(&work, report->recording)) {
		print_tasks(report, &work.tasks);
		print_tags(report, &work.regions);
	} else {
		fprintf(report->out, "Tasks and regions cannot be told: %s\n",
			work_fault(&work, report->recording).text);
	}
	work_fini(&work);
}

/* ---- JSON ---- */

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

void report_json_work(const struct report *report, report_json_member *write_member)
{
	struct work work;
	if (!work_is_told(report->recording))
		return;
	bool is_known = work_build(&work, report->recording);
	if (!is_known || work.tasks.len > 0)
		write_member(report, "tasks", is_known ? tasks_object(&work.tasks) : json_null());
	if (!is_known || work.regions.len > 0)
		write_member(report, "regions", is_known ? tags_of(&work.regions) : json_null());
	work_fini(&work);
}
