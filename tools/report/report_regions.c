/* SPDX-License-Identifier: MIT
 * The program's own work by the timeline: tasks and their parallelism, regions and their speed. Nothing if the program
 * has reported neither. */
#include <stdlib.h>

#include "number.h"
#include "report_table.h"
#include "report_views.h"
#include "task_waits.h"
#include "utf8.h"
#include "work.h"

static void print_tasks(const struct report *report, const struct tasks *tasks)
{
	uint64_t time_ns = tasks_time_ns(tasks), longest_ns = tasks_longest_ns(tasks);
	if (tasks->len == 0)
		return;
	printer_bold(report->out, "Tasks");
	printer_format(report->out, "  %s in %s segment%s: %s of work, longest chain %s", number_count(tasks->len).text,
		number_count(tasks->segment_count).text, tasks->segment_count == 1 ? "" : "s",
		number_time(time_ns).text, number_time(longest_ns).text);
	if (longest_ns != 0)
		printer_format(
			report->out, ", parallelism %s", number_rounded((double)time_ns / (double)longest_ns, 1).text);
	printer_text(report->out, "\n");
}

static void print_wait(struct report_table *table, const struct task_wait *wait)
{
	char *clean = utf8_clean(wait->word, UTF8_HIDE_CONTROLS);
	struct number count = number_count(wait->count), abandoned = number_count(wait->abandoned);
	struct number time = number_time(wait->time_ns), handled = number_time(wait->handled_ns);
	bool is_block = wait->kind == TASK_WAIT_BLOCK;
	const char *cells[] = {task_wait_names[wait->kind], clean, count.text, time.text, is_block ? handled.text : "",
		wait->abandoned != 0 ? abandoned.text : ""};
	report_table_row(table, cells);
	free(clean);
}

/* Nothing if no wait has a word and none is a block: then they are what a join is. */
static void print_waits(const struct report *report, const struct tasks *tasks)
{
	static const struct table_column columns[] = {{"tasks were", TABLE_LEFT}, {"for", TABLE_LEFT},
		{"count", TABLE_RIGHT}, {"time", TABLE_RIGHT}, {"handled", TABLE_RIGHT}, {"abandoned", TABLE_RIGHT},
		{0}};
	struct task_waits waits = task_waits_of(report->recording, tasks);
	size_t shown = report->options.is_full || waits.len <= report->options.top ? waits.len : report->options.top;
	bool is_told = tasks->operation_count > 0;
	for (size_t i = 0; i < waits.len; i++)
		is_told |= waits.waits[i].word[0] != '\0';
	if (is_told) {
		struct report_table *table = report_table_create(report->out, columns);
		for (size_t i = 0; i < shown; i++)
			print_wait(table, &waits.waits[i]);
		report_table_finish(&table);
		if (shown < waits.len)
			printer_format(report->out, "... %zu more (--full)\n", waits.len - shown);
	}
	task_waits_fini(&waits);
}

static void print_tag(struct report_table *table, const struct region_tag *tag)
{
	char *clean = utf8_clean(tag->tag, UTF8_HIDE_CONTROLS);
	struct number count = number_count(tag->count), work = number_count(tag->work);
	struct number inclusive = number_time(tag->inclusive_ns), exclusive = number_time(tag->exclusive_ns);
	struct number speed = number_rate(tag->work, tag->inclusive_ns);
	const char *cells[] = {clean, count.text, work.text, inclusive.text, exclusive.text, speed.text};
	report_table_row(table, cells);
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
	printer_bold(report->out, "Regions\n");
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		print_tag(table, &regions->tags[i]);
	report_table_finish(&table);
	if (shown < count)
		printer_format(report->out, "... %zu more (--full)\n", count - shown);
}

void report_work(const struct report *report)
{
	struct work work;
	if (!work_is_told(report->recording))
		return;
	printer_text(report->out, "\n");
	if (work_build(&work, report->recording)) {
		print_tasks(report, &work.tasks);
		print_waits(report, &work.tasks);
		print_tags(report, &work.regions);
	} else {
		printer_format(report->out, "Tasks and regions cannot be told: %s\n",
			work_fault(&work, report->recording).text);
	}
	work_fini(&work);
}
