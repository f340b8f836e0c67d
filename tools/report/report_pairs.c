/* SPDX-License-Identifier: MIT
 * Who aborts whom: the table of pairs of places, and the table of aggressors with their cost to all others. */
#include <stdlib.h>

#include "blame.h"
#include "estimate.h"
#include "memory.h"
#include "number.h"
#include "report.h"
#include "report_table.h"
#include "report_views.h"
#include "utf8.h"

/* The columns that both tables have. */
#define SUM_COLUMNS                                                                                     \
	{"lost", TABLE_LOSS}, {"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"longest", TABLE_RIGHT}, \
		{"for nothing", TABLE_RIGHT},                                                           \
	{                                                                                               \
		"descheduled", TABLE_RIGHT                                                              \
	}

/* `last` is the cell of the column after SUM_COLUMNS; NULL if the table has none. */
static void sum_row(const struct report *report, struct report_table *table, const struct tally_sum *sum,
	const char *first, const char *second, const char *last)
{
	struct number lost = estimate_text(report->recording, sum), share = estimate_share(report->recording, sum);
	struct number count = number_count(sum->count), longest = number_time(sum->longest_ns);
	struct number wasted = number_time(sum->wasted_ns), descheduled = number_time(sum->descheduled_ns);
	const char *cells[] = {
		first, second, lost.text, share.text, count.text, longest.text, wasted.text, descheduled.text, last};
	report_table_row(table, cells);
}

static void print_pairs(const struct report *report, struct places *places)
{
	static const struct table_column columns[] = {
		{"where", TABLE_PLACE}, {"lost to", TABLE_CULPRIT}, SUM_COLUMNS, {"saves at most", TABLE_RIGHT}, {0}};
	uint64_t wall_ns = report->recording->info.wall_ns;
	struct tally pairs = blame_pairs(report->recording, places, report->options.sort);
	size_t shown = report_shown(report, &pairs);
	report_heading(report, "Who aborts whom:", &pairs, shown);
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++) {
		char *local = report_spot(report, places, (uint32_t)pairs.rows[i]->key[0]);
		char *remote = report_spot(report, places, (uint32_t)pairs.rows[i]->key[1]);
		struct number bound = number_share(blame_bound_ns(report->recording, &pairs.rows[i]->sum), wall_ns);
		sum_row(report, table, &pairs.rows[i]->sum, local, remote, bound.text);
		free(remote);
		free(local);
	}
	report_table_finish(&table);
	report_ends(report, &pairs, shown, "pair", "pairs");
	if (shown > 0)
		printer_text(report->out,
			"'saves at most': of the run's time, without this conflict; a bound, since\n"
			"threads lose at the same time as others work, and what is let through may meet\n"
			"the next conflict\n");
	tally_drop(&pairs);
}

/* "chain < caller". Frees `chain`. The caller frees the result. */
static char *add_caller(char *chain, const char *caller)
{
	char *name = utf8_clean(caller, UTF8_HIDE_CONTROLS);
	char *longer = memory_format("%s < %s", chain, name);
	free(name);
	free(chain);
	return longer;
}

/* A traceback in a line: "transfer bank.c:61 < worker < main", up to the first caller that has no name or is
 * startup code. The caller frees the result. */
static char *call_chain(const struct report *report, struct places *places, uint32_t reference)
{
	enum { CALLERS = 2 };
	struct recording_traceback traceback = recording_traceback(report->recording, reference);
	char *chain = report_spot(report, places, places_innermost(places, reference));
	size_t frames = 0;
	for (size_t i = 0; i < traceback.len && frames <= CALLERS; i++) {
		const struct symbol_site *site = symbols_site(report->symbols, traceback.sites[i]);
		for (size_t k = 0; k < site->len && frames <= CALLERS; k++, frames++) {
			const struct symbol_frame *frame = &site->frames[k];
			if (frames > 0 && (symbol_is_startup(frame) || frame->function == NULL))
				return chain;
			chain = frames > 0 ? add_caller(chain, frame->function) : chain;
		}
	}
	return chain;
}

static void print_aggressors(const struct report *report, struct places *places)
{
	static const struct table_column columns[] = {
		{"aggressor", TABLE_CULPRIT}, {"victims", TABLE_RIGHT}, SUM_COLUMNS, {0}};
	struct tally aggressors = blame_aggressors(report->recording, places, report->options.sort);
	size_t shown = report_shown(report, &aggressors);
	printer_bold(report->out, "Aggressors");
	printer_text(report->out, ": what each has cost all others, and how many places of theirs\n");
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++) {
		const struct tally_row *row = aggressors.rows[i];
		char *chain = call_chain(report, places, (uint32_t)row->key[0]);
		sum_row(report, table, &row->sum, chain, number_count(row->parts).text, NULL);
		free(chain);
	}
	report_table_finish(&table);
	report_ends(report, &aggressors, shown, "aggressor", "aggressors");
	tally_drop(&aggressors);
}

void report_pairs(const struct report *report)
{
	struct places *places = places_create(report->recording, report->symbols);
	print_pairs(report, places);
	printer_text(report->out, "\n");
	print_aggressors(report, places);
	places_destroy(&places);
}
