/* SPDX-License-Identifier: MIT
 * The program's own work by the timeline: tasks and their parallelism, regions and their speed. Nothing if the program
 * has reported neither. */
#include <stdbool.h>
#include <stdlib.h>

#include "number.h"
#include "printer.h"
#include "report_views.h"
#include "utf8.h"
#include "work.h"

static void print_tasks(const struct report *report, const struct work *work)
{
	uint64_t time_ns = work_time_ns(work), longest_ns = work_longest_ns(work);
	if (work->task_count == 0)
		return;
	printer_bold(report->out, "Tasks");
	printer_format(report->out, "  %s in %s segment%s: %s of work, longest chain %s",
		number_count(work->task_count).text, number_count(work->segment_count).text,
		work->segment_count == 1 ? "" : "s", number_time(time_ns).text, number_time(longest_ns).text);
	if (longest_ns != 0)
		printer_format(
			report->out, ", parallelism %s", number_rounded((double)time_ns / (double)longest_ns, 1).text);
	printer_text(report->out, "\n");
}

static size_t shown_of(const struct report *report, size_t len)
{
	return report->options.is_full || len <= report->options.top ? len : report->options.top;
}

static void finish_table(const struct report *report, struct report_table *table, size_t len)
{
	report_table_finish(&table);
	if (shown_of(report, len) < len)
		printer_format(report->out, "... %zu more (--full)\n", len - shown_of(report, len));
}

static void print_wait(struct report_table *table, const struct task_wait_sum *wait)
{
	char *clean = utf8_clean(wait->word, UTF8_HIDE_CONTROLS);
	struct number count = number_count(wait->count), abandoned = number_count(wait->abandoned);
	struct number time = number_time(wait->time_ns), handled = number_time(wait->handled_ns);
	const char *cells[] = {task_wait_names[wait->kind], clean, count.text, time.text,
		wait->kind == TASK_BLOCKED ? handled.text : "", wait->abandoned != 0 ? abandoned.text : ""};
	report_table_row(table, cells);
	free(clean);
}

/* Nothing if no wait has a word and none is a block: then they are what a join is. */
static void print_waits(const struct report *report, const struct work *work)
{
	static const struct table_column columns[] = {{"tasks were", TABLE_LEFT}, {"for", TABLE_LEFT},
		{"count", TABLE_RIGHT}, {"time", TABLE_RIGHT}, {"handled", TABLE_RIGHT}, {"abandoned", TABLE_RIGHT},
		{0}};
	size_t len;
	struct task_wait_sum *waits = work_wait_sums(work, report->recording, &len);
	bool is_told = false;
	for (size_t i = 0; i < len; i++)
		is_told |= waits[i].kind == TASK_BLOCKED || waits[i].word[0] != '\0';
	if (is_told) {
		struct report_table *table = report_table_create(report->out, columns);
		for (size_t i = 0; i < shown_of(report, len); i++)
			print_wait(table, &waits[i]);
		finish_table(report, table, len);
	}
	free(waits);
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

static void print_tags(const struct report *report, const struct work *work)
{
	static const struct table_column columns[] = {{"tag", TABLE_LEFT}, {"count", TABLE_RIGHT},
		{"work", TABLE_RIGHT}, {"inclusive", TABLE_RIGHT}, {"exclusive", TABLE_RIGHT},
		{"work per second", TABLE_RIGHT}, {0}};
	if (work->tag_count == 0)
		return;
	printer_bold(report->out, "Regions\n");
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown_of(report, work->tag_count); i++)
		print_tag(table, &work->tags[i]);
	finish_table(report, table, work->tag_count);
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

static void print_spread(struct report_table *table, const struct region_tag *tag)
{
	const struct statistics_spread *time = &tag->each_ns, *speed = &tag->each_speed;
	struct number low = time_text(time->low), median = time_text(time->median), high = time_text(time->high);
	struct number max = time_text(time->max), slow = speed_text(speed->low), usual = speed_text(speed->median);
	struct number fast = speed_text(speed->high);
	bool has_speed = tag->worked > 0;
	char *clean = utf8_clean(tag->tag, UTF8_HIDE_CONTROLS);
	const char *cells[] = {clean, median.text, low.text, high.text, max.text, has_speed ? usual.text : NULL,
		has_speed ? slow.text : NULL, has_speed ? fast.text : NULL};
	report_table_row(table, cells);
	free(clean);
}

static void print_spreads(const struct report *report, const struct work *work)
{
	static const struct table_column columns[] = {{"tag", TABLE_LEFT}, {"time p50", TABLE_RIGHT},
		{"p25", TABLE_RIGHT}, {"p75", TABLE_RIGHT}, {"longest", TABLE_RIGHT}, {"speed p50", TABLE_RIGHT},
		{"p25", TABLE_RIGHT}, {"p75", TABLE_RIGHT}, {0}};
	if (work->tag_count == 0)
		return;
	printer_text(report->out, "\n");
	printer_bold(report->out, "Each region");
	printer_text(report->out, ": median and quartiles of those that have ended; speed is work per second\n");
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown_of(report, work->tag_count); i++)
		if (work->tags[i].ended > 0)
			print_spread(table, &work->tags[i]);
	report_table_finish(&table);
}

/* ---- both ---- */

static void print_work(const struct report *report, bool has_spreads)
{
	struct work work;
	if (work_build(&work, report->recording)) {
		print_tasks(report, &work);
		print_waits(report, &work);
		print_tags(report, &work);
		if (has_spreads)
			print_spreads(report, &work);
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
