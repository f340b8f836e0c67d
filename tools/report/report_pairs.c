/* SPDX-License-Identifier: MIT
 * Who aborts whom: time lost by the place that lost it and the place that it was lost to; and, from the other side,
 * what each aggressor has cost all others. */
#include <stdlib.h>
#include <string.h>

#include "blame.h"
#include "estimate.h"
#include "memory.h"
#include "number.h"
#include "report.h"
#include "table.h"
#include "utf8.h"

char *report_place(const struct report *report, const struct places *places, uint32_t place)
{
	const struct symbol_frame *frame = places_frame(places, place);
	char *raw = frame != NULL ? report_frame(report, frame) : memory_text(place_fixed_name(place));
	char *name = utf8_clean(raw, UTF8_HIDE_CONTROLS);
	free(raw);
	return name;
}

void report_rest(const struct report *report, size_t rest, const char *how)
{
	if (rest > 0)
		fprintf(report->out, "... %zu more (%s)\n", rest, how);
}

/* ---- tables ---- */

/* The columns that both tables have. */
#define SUM_COLUMNS                                                                                      \
	{"lost", TABLE_RIGHT}, {"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"longest", TABLE_RIGHT}, \
	{                                                                                                \
		"for nothing", TABLE_RIGHT                                                               \
	}

/* `last` is for a table that has one column more. */
static void sum_row(const struct report *report, struct libscols_table *table, const struct tally_sum *sum,
	const char *first, const char *second, const char *last)
{
	struct number lost = estimate_text(report->recording, sum), share = estimate_share(report->recording, sum);
	struct number count = number_count(sum->count), longest = number_time(sum->longest_ns);
	struct number wasted = number_time(sum->wasted_ns);
	const char *cells[] = {first, second, lost.text, share.text, count.text, longest.text, wasted.text, last};
	table_row(table, cells);
}

static void print_pairs(const struct report *report, struct places *places)
{
	static const struct table_column columns[] = {
		{"where", TABLE_LEFT}, {"lost to", TABLE_LEFT}, SUM_COLUMNS, {"saves at most", TABLE_RIGHT}, {0}};
	uint64_t wall_ns = report->recording->info.wall_ns;
	struct tally pairs = blame_pairs(report->recording, places, report->options.sort);
	size_t shown = report_shown(report, &pairs);
	report_heading(report, "Who aborts whom:", &pairs, shown);
	struct libscols_table *table = table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++) {
		char *local = report_place(report, places, (uint32_t)pairs.rows[i].key[0]);
		char *remote = report_place(report, places, (uint32_t)pairs.rows[i].key[1]);
		struct number bound = number_share(blame_bound_ns(report->recording, &pairs.rows[i].sum), wall_ns);
		sum_row(report, table, &pairs.rows[i].sum, local, remote, bound.text);
		free(remote);
		free(local);
	}
	table_finish(&table);
	report_rest(report, pairs.len - shown, "--top=N");
	if (shown > 0)
		fputs("'saves at most': of the run's time, without this conflict; a bound, since threads lose at the "
		      "same\n"
		      "time as others work, and what is let through may meet the next conflict\n",
			report->out);
	tally_drop(&pairs);
}

/* "chain < caller". Frees `chain`; the caller frees what it gets. */
static char *add_caller(char *chain, const char *caller)
{
	char *name = utf8_clean(caller, UTF8_HIDE_CONTROLS);
	char *longer = memory_format("%s < %s", chain, name);
	free(name);
	free(chain);
	return longer;
}

/* "transfer bank.c:61 < worker < main": a traceback in a line, as far as callers have names. The caller frees it. */
static char *call_chain(const struct report *report, struct places *places, uint32_t reference)
{
	enum { CALLERS = 2 };
	struct recording_traceback traceback = recording_traceback(report->recording, reference);
	char *chain = report_place(report, places, places_innermost(places, reference));
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
		{"aggressor", TABLE_LEFT}, {"victims", TABLE_RIGHT}, SUM_COLUMNS, {0}};
	struct tally aggressors = blame_aggressors(report->recording, places, report->options.sort);
	size_t shown = report_shown(report, &aggressors);
	report_bold(report, "Aggressors");
	fputs(": what each has cost all others, and how many places of theirs\n", report->out);
	struct libscols_table *table = table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++) {
		const struct tally_row *row = &aggressors.rows[i];
		char *chain = call_chain(report, places, (uint32_t)row->key[0]);
		sum_row(report, table, &row->sum, chain, number_count(row->parts).text, NULL);
		free(chain);
	}
	table_finish(&table);
	report_rest(report, aggressors.len - shown, "--top=N");
	tally_drop(&aggressors);
}

void report_pairs(const struct report *report)
{
	struct places *places = places_create(report->recording, report->symbols);
	print_pairs(report, places);
	fputc('\n', report->out);
	print_aggressors(report, places);
	places_destroy(&places);
}

/* ---- a few lines ---- */

enum { BRIEF = 5, LINE_WIDTH = 80, WIDEST_PLACE = 28 };

static int widest(char *const *names, size_t len)
{
	size_t most = 0;
	for (size_t i = 0; i < len; i++) {
		size_t width = strlen(names[i]);
		if (width <= WIDEST_PLACE && width > most)
			most = width;
	}
	return (int)most;
}

/* In one line, or in two where one would be too long. */
static void print_pair(const struct report *report, const char *local, const char *loss, const char *remote, int width)
{
	size_t len = strlen(local) > (size_t)width ? strlen(local) : (size_t)width;
	if (len + strlen(loss) + strlen(remote) + 6 <= LINE_WIDTH)
		fprintf(report->out, "  %-*s  %s  %s\n", width, local, loss, remote);
	else
		fprintf(report->out, "  %s\n      %s  %s\n", local, loss, remote);
}

static void print_lines(const struct report *report, const struct places *places, const struct tally *pairs, size_t len)
{
	const char *measured = recording_is_sampled(report->recording) ? " measured" : "";
	char *locals[BRIEF];
	for (size_t i = 0; i < len; i++)
		locals[i] = report_place(report, places, (uint32_t)pairs->rows[i].key[0]);
	int width = widest(locals, len);
	for (size_t i = 0; i < len; i++) {
		const struct tally_sum *sum = &pairs->rows[i].sum;
		char *remote = report_place(report, places, (uint32_t)pairs->rows[i].key[1]);
		char *loss = memory_format("lost %s (%s) %s %s%s to", estimate_text(report->recording, sum).text,
			estimate_share(report->recording, sum).text, number_count(sum->count).text,
			report_times(sum->count), measured);
		print_pair(report, locals[i], loss, remote, width);
		free(loss);
		free(remote);
		free(locals[i]);
	}
}

static void print_wasted(const struct report *report)
{
	const struct recording_info *info = &report->recording->info;
	if (info->wasted_aborts == 0)
		return;
	fprintf(report->out, "for nothing, the culprit aborted too: %s (%s), %s %s%s",
		number_time(info->wasted_ns).text,
		number_share(info->wasted_ns, recording_total(report->recording).lost_ns).text,
		number_count(info->wasted_aborts).text, report_times(info->wasted_aborts),
		recording_is_sampled(report->recording) ? " measured" : "");
	if (info->undecided_aborts != 0)
		fprintf(report->out, "; undecided: %s", number_count(info->undecided_aborts).text);
	fputc('\n', report->out);
}

/* Where nothing is known of any other side, as of libitm's, the entries have said it all. */
static bool knows_anybody(const struct tally *pairs)
{
	for (size_t i = 0; i < pairs->len; i++)
		if (pairs->rows[i].key[1] >= PLACE_FIRST)
			return true;
	return false;
}

void report_pairs_briefly(const struct report *report)
{
	struct places *places = places_create(report->recording, report->symbols);
	struct tally pairs = blame_pairs(report->recording, places, TALLY_LOST);
	size_t shown = report_shown(report, &pairs);
	if (shown > BRIEF)
		shown = BRIEF;
	if (shown > 0 && knows_anybody(&pairs)) {
		fputc('\n', report->out);
		report_bold(report, "Who aborts whom\n");
		print_lines(report, places, &pairs, shown);
		report_rest(report, pairs.len - shown, "--by=pair");
		print_wasted(report);
	}
	tally_drop(&pairs);
	places_destroy(&places);
}
