/* SPDX-License-Identifier: MIT
 * The table of threads and losses: what each thread has lost, where most of it, and what others have lost to it. */
#include <stdlib.h>

#include "estimate.h"
#include "loss_sums.h"
#include "memory.h"
#include "number.h"
#include "report_table.h"
#include "report_views.h"
#include "utf8.h"

static char *thread_name(const struct report *report, const struct stmlog_thread_record *thread)
{
	if (thread->id == 0)
		return memory_text("(all others)");
	return utf8_clean(recording_string(report->recording, thread->name), UTF8_HIDE_CONTROLS);
}

static void print_row(const struct report *report, struct report_table *table, const struct places *places,
	const struct loss_sums_thread *row)
{
	char *name = thread_name(report, row->thread);
	char *place = row->place_ns > 0 ? report_spot(report, places, row->place) : memory_text("-");
	uint64_t all_ns = estimate_of_total(report->recording).ns;
	struct number id = number_count(row->thread->id), lost = estimate_number(&row->lost);
	struct number share = number_share(row->lost.ns, all_ns), count = number_count(row->sum.count);
	struct number descheduled = number_time(row->sum.descheduled_ns);
	struct number longest = number_time(row->sum.longest_ns), led = number_time(row->led_ns);
	struct number min = number_time(row->led_min_ns);
	const char *cells[] = {id.text, name, lost.text, share.text, count.text, longest.text, descheduled.text, place,
		min.text, led.text};
	report_table_row(table, cells);
	free(place);
	free(name);
}

void report_by_thread(const struct report *report)
{
	static const struct table_column columns[] = {{"id", TABLE_RIGHT}, {"thread", TABLE_LEFT}, {"lost", TABLE_LOSS},
		{"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"longest", TABLE_RIGHT}, {"descheduled", TABLE_RIGHT},
		{"most at", TABLE_PLACE}, {"others, at least", TABLE_RIGHT}, {"their entries", TABLE_RIGHT}, {0}};
	const struct recording *recording = report->recording;
	struct places *places = places_create(recording, report->symbols);
	struct loss_sums_thread *rows = loss_sums_by_thread(recording, places, report->options.sort);
	size_t count = recording->thread_count;
	size_t shown = report->options.top < count ? report->options.top : count;
	printer_bold(report->out, "Who lost:");
	printer_format(report->out, " %zu of %zu threads, evicted losses included\n", shown, count);
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		print_row(report, table, places, &rows[i]);
	report_table_finish(&table);
	report_rest(report, count - shown, "--top=N");
	printer_text(report->out, "an entry knows the threads of its longest loss: 'longest' and 'most at' are of\n"
				  "the entries that so name the thread; others lost 'at least' the longest of\n"
				  "those that name it as the culprit, of all in these\n");
	free(rows);
	places_destroy(&places);
}
