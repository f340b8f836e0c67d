/* SPDX-License-Identifier: MIT
 * The table of objects: what was lost over each, and how much of that by false conflicts. */
#include <stdlib.h>

#include "estimate.h"
#include "number.h"
#include "object_sums.h"
#include "report_table.h"
#include "report_views.h"
#include "utf8.h"

static void object_row(
	const struct report *report, struct report_table *table, const char *name, const struct tally_sum *sum)
{
	struct number lost = estimate_text(report->recording, sum), share = estimate_share(report->recording, sum);
	struct number count = number_count(sum->count), false_conflicts = number_count(sum->false_conflicts);
	struct number false_share = number_share(sum->false_conflicts, sum->count);
	struct number descheduled = number_time(sum->descheduled_ns);
	const char *cells[] = {
		name, lost.text, share.text, count.text, false_conflicts.text, false_share.text, descheduled.text};
	report_table_row(table, cells);
}

void report_by_object(const struct report *report)
{
	static const struct table_column columns[] = {{"object", TABLE_PLACE}, {"lost", TABLE_LOSS},
		{"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"false", TABLE_RIGHT}, {"of count", TABLE_RIGHT},
		{"descheduled", TABLE_RIGHT}, {0}};
	struct named_sums objects = object_sums(report);
	size_t shown = report_shown(report, &objects.tally);
	report_heading(report, "What was fought over:", &objects.tally, shown);
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++) {
		const struct tally_row *row = objects.tally.rows[i];
		char *name = utf8_clean(named_sums_name(&objects, row), UTF8_HIDE_CONTROLS);
		object_row(report, table, name, &row->sum);
		free(name);
	}
	report_table_finish(&table);
	report_ends(report, &objects.tally, shown, "object", "objects");
	printer_text(report->out, "counts are what is known of each at least, and times are shared out by them\n");
	named_sums_fini(&objects);
}
