/* SPDX-License-Identifier: MIT
 * The table of places with their losses, whatever the callers and culprits; and the distributions of transactions, by
 * the place where they begin. */
#include <stdlib.h>

#include "estimate.h"
#include "loss_sums.h"
#include "memory.h"
#include "number.h"
#include "report_table.h"
#include "report_views.h"
#include "transactions.h"

static char *site_name(const struct report *report, const struct places *places, uint64_t key)
{
	return key != LOSS_SUMS_EVICTED ? report_spot(report, places, (uint32_t)key) : memory_text("(evicted)");
}

static void site_row(
	const struct report *report, struct report_table *table, const char *name, const struct tally_row *row)
{
	const struct tally_sum *sum = &row->sum;
	bool is_evicted = row->key[0] == LOSS_SUMS_EVICTED;
	struct number lost = estimate_text(report->recording, sum), share = estimate_share(report->recording, sum);
	struct number count = number_count(sum->count), longest = number_time(sum->longest_ns);
	struct number wasted = number_time(sum->wasted_ns), culprits = number_count(row->parts);
	struct number descheduled = number_time(sum->descheduled_ns);
	const char *cells[] = {name, lost.text, share.text, count.text, is_evicted ? "-" : longest.text,
		is_evicted ? "-" : wasted.text, is_evicted ? "-" : culprits.text, is_evicted ? "-" : descheduled.text};
	report_table_row(table, cells);
}

void report_sites(const struct report *report)
{
	static const struct table_column columns[] = {{"where", TABLE_PLACE}, {"lost", TABLE_LOSS},
		{"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"longest", TABLE_RIGHT}, {"for nothing", TABLE_RIGHT},
		{"culprits", TABLE_RIGHT}, {"descheduled", TABLE_RIGHT}, {0}};
	struct places *places = places_create(report->recording, report->symbols);
	struct tally sites = loss_sums_by_site(report->recording, places, report->options.sort);
	size_t shown = report_shown(report, &sites);
	report_heading(report, "Where time was lost:", &sites, shown);
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++) {
		char *name = site_name(report, places, sites.rows[i]->key[0]);
		site_row(report, table, name, sites.rows[i]);
		free(name);
	}
	report_table_finish(&table);
	report_ends(report, &sites, shown, "place", "places");
	tally_drop(&sites);
	places_destroy(&places);
}

/* ---- transactions ---- */

static void transactions_row(
	struct report_table *table, const char *name, const struct stmlog_transaction_record *record)
{
	struct transactions_summary attempts = transactions_attempts(record), lost = transactions_lost_ns(record);
	struct number commits = number_count(record->commits), sum = number_time(record->lost_ns);
	struct number attempts_p50 = number_count(attempts.median), attempts_p99 = number_count(attempts.p99);
	struct number max = number_count(attempts.max), longest = number_time(lost.max);
	struct number lost_p50 = number_time(lost.median), lost_p99 = number_time(lost.p99);
	const char *cells[] = {name, commits.text, attempts_p50.text, attempts_p99.text, max.text, sum.text,
		lost_p50.text, lost_p99.text, longest.text};
	report_table_row(table, cells);
}

static void print_transactions(
	const struct report *report, const struct places *places, const struct transactions *all, size_t shown)
{
	static const struct table_column columns[] = {{"begin at", TABLE_PLACE}, {"commits", TABLE_RIGHT},
		{"attempts p50", TABLE_RIGHT}, {"p99", TABLE_RIGHT}, {"most", TABLE_RIGHT}, {"lost", TABLE_LOSS},
		{"each p50", TABLE_RIGHT}, {"p99", TABLE_RIGHT}, {"longest", TABLE_RIGHT}, {0}};
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++) {
		char *name = report_spot(report, places, all->rows[i].place);
		transactions_row(table, name, &all->rows[i].record);
		free(name);
	}
	report_table_finish(&table);
}

void report_transactions(const struct report *report)
{
	bool is_sampled = recording_is_sampled(report->recording);
	if (report->recording->transaction_count == 0)
		return;
	struct places *places = places_create(report->recording, report->symbols);
	struct transactions all = transactions_make(report->recording, places, report->options.sort);
	size_t shown = all.len < report->options.top ? all.len : report->options.top;
	printer_text(report->out, "\n");
	printer_bold(report->out, "Transactions");
	printer_format(report->out,
		": attempts until one commits, and time that each loses before%s; p50 and p99 to a fifth\n",
		is_sampled ? ", of those measured" : "");
	print_transactions(report, places, &all, shown);
	report_rest(report, all.len - shown, "--top=N");
	transactions_fini(&all);
	places_destroy(&places);
}
