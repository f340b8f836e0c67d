/* SPDX-License-Identifier: MIT
 * Who aborts whom: the table of pairs of places. */
#include <stdlib.h>

#include "estimate.h"
#include "number.h"
#include "report.h"
#include "report_table.h"
#include "report_views.h"

static void pair_row(const struct report *report, struct report_table *table, const struct places *places,
	const struct tally_row *row)
{
	const struct tally_sum *sum = &row->sum;
	char *local = report_spot(report, places, (uint32_t)row->key[0]);
	char *remote = report_spot(report, places, (uint32_t)row->key[1]);
	struct number lost = estimate_text(report->recording, sum), share = estimate_share(report->recording, sum);
	struct number count = number_count(sum->count), longest = number_time(sum->longest_ns);
	struct number wasted = number_time(sum->wasted_ns), descheduled = number_time(sum->descheduled_ns);
	uint64_t bound_ns = blame_bound_ns(report->recording, sum);
	struct number bound = number_share(bound_ns, report->recording->info.wall_ns);
	const char *cells[] = {local, remote, lost.text, share.text, count.text, longest.text, wasted.text,
		descheduled.text, bound.text};
	report_table_row(table, cells);
	free(remote);
	free(local);
}

void report_pairs(const struct report *report)
{
	static const struct table_column columns[] = {{"where", TABLE_PLACE}, {"lost to", TABLE_CULPRIT},
		{"lost", TABLE_LOSS}, {"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"longest", TABLE_RIGHT},
		{"for nothing", TABLE_RIGHT}, {"descheduled", TABLE_RIGHT}, {"saves at most", TABLE_RIGHT}, {0}};
	struct places *places = places_create(report->recording, report->symbols);
	struct tally pairs = blame_pairs(report->recording, places, report->options.sort);
	size_t shown = report_shown(report, &pairs);
	report_heading(report, "Who aborts whom:", &pairs, shown);
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		pair_row(report, table, places, pairs.rows[i]);
	report_table_finish(&table);
	report_ends(report, &pairs, shown, "pair", "pairs");
	if (shown > 0)
		printer_text(report->out,
			"'saves at most': of the run's time, without this conflict; a bound, since\n"
			"threads lose at the same time as others work, and what is let through may meet\n"
			"the next conflict\n");
	tally_drop(&pairs);
	places_destroy(&places);
}
