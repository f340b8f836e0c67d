/* SPDX-License-Identifier: MIT
 * The program's own work by the timeline: tasks and their parallelism, regions and their speed. Nothing if the program
 * has reported neither. */
#include <stdbool.h>
#include <stdlib.h>

#include "number.h"
#include "region_spread.h"
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

static size_t shown_of(const struct report *report, const struct regions *regions)
{
	bool is_all = report->options.is_full || regions->tag_count <= report->options.top;
	return is_all ? regions->tag_count : report->options.top;
}

static void print_tags(const struct report *report, const struct regions *regions)
{
	static const struct table_column columns[] = {{"tag", TABLE_LEFT}, {"count", TABLE_RIGHT},
		{"work", TABLE_RIGHT}, {"inclusive", TABLE_RIGHT}, {"exclusive", TABLE_RIGHT},
		{"work per second", TABLE_RIGHT}, {0}};
	size_t count = regions->tag_count, shown = shown_of(report, regions);
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

/* ---- how much the regions of a tag differ ---- */

/* "-" of an infinite one. */
static struct number speed_text(double speed)
{
	return speed < 1e18 ? number_count((uint64_t)(speed + 0.5)) : (struct number){"-"};
}

static struct number time_text(double time_ns)
{
	return number_time((uint64_t)(time_ns + 0.5));
}

static void print_spread(struct report_table *table, const struct region_tag *tag, const struct region_spread *spread)
{
	const struct statistics_spread *time = &spread->time_ns, *speed = &spread->speed;
	struct number low = time_text(time->low), median = time_text(time->median), high = time_text(time->high);
	struct number max = time_text(time->max), slow = speed_text(speed->low), usual = speed_text(speed->median);
	struct number fast = speed_text(speed->high);
	bool has_speed = spread->worked > 0;
	char *clean = utf8_clean(tag->tag, UTF8_HIDE_CONTROLS);
	const char *cells[] = {clean, median.text, low.text, high.text, max.text, has_speed ? usual.text : NULL,
		has_speed ? slow.text : NULL, has_speed ? fast.text : NULL};
	report_table_row(table, cells);
	free(clean);
}

static void print_spreads(const struct report *report, const struct regions *regions)
{
	static const struct table_column columns[] = {{"tag", TABLE_LEFT}, {"time p50", TABLE_RIGHT},
		{"p25", TABLE_RIGHT}, {"p75", TABLE_RIGHT}, {"longest", TABLE_RIGHT}, {"speed p50", TABLE_RIGHT},
		{"p25", TABLE_RIGHT}, {"p75", TABLE_RIGHT}, {0}};
	struct region_spread *spreads = region_spreads(regions);
	printer_text(report->out, "\n");
	printer_bold(report->out, "Each region");
	printer_text(report->out, ": median and quartiles of those that have ended; speed is work per second\n");
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown_of(report, regions); i++)
		if (spreads[i].ended > 0)
			print_spread(table, &regions->tags[i], &spreads[i]);
	report_table_finish(&table);
	free(spreads);
}

/* ---- both ---- */

static void print_work(const struct report *report, bool has_spreads)
{
	struct work work;
	if (work_build(&work, report->recording)) {
		print_tasks(report, &work.tasks);
		print_waits(report, &work.tasks);
		print_tags(report, &work.regions);
		if (has_spreads && work.regions.len > 0)
			print_spreads(report, &work.regions);
	} else {
		printer_format(report->out, "Tasks and regions cannot be told: %s\n",
			work_fault(&work, report->recording).text);
	}
	work_fini(&work);
}

void report_work(const struct report *report)
{
	if (!work_is_told(report->recording))
		return;
	printer_text(report->out, "\n");
	print_work(report, false);
}

void report_by_region(const struct report *report)
{
	if (work_is_told(report->recording))
		print_work(report, true);
	else
		printer_text(report->out,
			"No region was recorded: the program calls stmlog_region_begin() while a timeline "
			"runs (timeline=EVENTS)\n");
}
