/* SPDX-License-Identifier: MIT
 * Losses by their causes, whatever the place. */
#include "cause.h"
#include "estimate.h"
#include "number.h"
#include "report_table.h"
#include "report_views.h"

/* Counts and times are from the totals, which are complete; only the entries have the other members. */
static struct tally causes_of(const struct report *report)
{
	const struct recording *recording = report->recording;
	struct tally causes = tally_make(recording, recording->total_count + recording->entry_count);
	for (size_t i = 0; i < recording->total_count; i++) {
		const struct stmlog_total_record *total = &recording->totals[i];
		struct tally_sum sum = tally_sum_of_total(total);
		tally_add(&causes, total->reason, total->contention, &sum);
	}
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		struct tally_sum sum = tally_sum_of(entry);
		sum.count = sum.lost_ns = 0;
		sum.surplus_ns = sum.variance_ns2 = 0;
		tally_add(&causes, entry->reason, entry->contention, &sum);
	}
	tally_group(&causes, report->options.sort);
	return causes;
}

static void cause_row(const struct report *report, struct report_table *table, const struct tally_row *row)
{
	const struct tally_sum *sum = &row->sum;
	struct number lost = estimate_text(report->recording, sum), share = estimate_share(report->recording, sum);
	struct number count = number_count(sum->count), longest = number_time(sum->longest_ns);
	struct number each = number_time(sum->count != 0 ? sum->lost_ns / sum->count : 0);
	struct number wasted = number_time(sum->wasted_ns), descheduled = number_time(sum->descheduled_ns);
	const char *cells[] = {cause_reason_name((uint32_t)row->key[0]), cause_contention_name((uint32_t)row->key[1]),
		lost.text, share.text, count.text, each.text, longest.text, wasted.text, descheduled.text};
	report_table_row(table, cells);
}

void report_causes(const struct report *report)
{
	static const struct table_column columns[] = {{"reason", TABLE_CAUSE}, {"contention", TABLE_LEFT},
		{"lost", TABLE_LOSS}, {"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"each", TABLE_RIGHT},
		{"longest", TABLE_RIGHT}, {"for nothing", TABLE_RIGHT}, {"descheduled", TABLE_RIGHT}, {0}};
	struct tally causes = causes_of(report);
	size_t shown = report_shown(report, &causes);
	printer_bold(report->out, "Causes\n");
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		cause_row(report, table, causes.rows[i]);
	report_table_finish(&table);
	report_ends(report, &causes, shown, "cause", "causes");
	if (report->recording->evicted_count > 0)
		printer_format(report->out,
			"'longest', 'for nothing' and 'descheduled' are without the %s losses evicted\n",
			number_count(report->recording->evicted_count).text);
	tally_drop(&causes);
}
