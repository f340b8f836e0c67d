/* SPDX-License-Identifier: MIT
 * Prints how often the transactions of each place commit and abort, and by which callers they begin. */
#include <stdlib.h>

#include "callers.h"
#include "estimate.h"
#include "memory.h"
#include "number.h"
#include "report_table.h"
#include "report_views.h"
#include "utf8.h"

/* "1,234", or "~ 1,234" if it is an estimate. */
static char *count_text(const struct callers *callers, double count)
{
	bool is_estimate = callers->has_callers && !callers->is_exact;
	return memory_format("%s%s", is_estimate ? "~ " : "", number_count(estimate_whole(count)).text);
}

/* Aborted attempts for each commit, as "0.42"; "-" without commits. */
static char *ratio_text(double aborts, double commits)
{
	return commits >= 0.5 ? memory_format("%.2f", aborts / commits) : memory_text("-");
}

static void add_row(
	const struct callers *callers, struct report_table *table, const char *name, const struct callers_row *row)
{
	char *commits = count_text(callers, row->commits), *aborts = count_text(callers, row->aborts);
	char *attempts = count_text(callers, row->commits + row->aborts);
	char *ratio = ratio_text(row->aborts, row->commits);
	bool has_measured = callers->has_callers && !callers->is_exact;
	struct number measured = number_count(row->measured);
	const char *cells[] = {name, commits, attempts, aborts, ratio, has_measured ? measured.text : NULL};
	report_table_row(table, cells);
	free(commits);
	free(attempts);
	free(aborts);
	free(ratio);
}

/* A caller stands further to the right than the row that it is a part of. */
static char *name_of(const struct report *report, const struct callers_row *row)
{
	enum { INDENT = 2, MAX_INDENT = 24 };
	unsigned indent = row->level * INDENT < MAX_INDENT ? row->level * INDENT : MAX_INDENT;
	const char *otherwise = row->level > 0 ? "(no further caller)" : place_fixed_name(PLACE_UNKNOWN);
	char *spot = row->frame != NULL ? utf8_cleaned(report_spot_of(report, row->frame)) : memory_text(otherwise);
	char *name = memory_format("%*s%s%s", (int)indent, "", row->level > 0 ? "from " : "", spot);
	free(spot);
	return name;
}

/* Prints the first rows of each level within the range. Returns how many of all levels were left out. */
static size_t add_rows(
	const struct report *report, struct report_table *table, const struct callers *callers, size_t from, size_t to)
{
	size_t left_out = 0;
	for (size_t row = from, shown = 0; row < to; row = callers_next(callers, row), shown++) {
		if (shown == report->options.top)
			return left_out + to - row;
		char *name = name_of(report, &callers->rows[row]);
		add_row(callers, table, name, &callers->rows[row]);
		free(name);
		left_out += add_rows(report, table, callers, row + 1, callers_next(callers, row));
	}
	return left_out;
}

static void print_heading(const struct report *report, const struct callers *callers)
{
	printer_bold(report->out, "Transactions");
	printer_text(report->out, " and the callers in which they differ; ratio: aborted attempts for each commit\n");
	if (!callers->has_callers)
		printer_format(report->out,
			"those%s that have committed; 'stmlog record --paths' keeps their callers\n",
			callers->is_exact ? "" : " measured");
	else if (!callers->is_exact)
		printer_text(report->out, "~ is an estimate from those measured; the sums of all are exact\n");
}

static void print_table(const struct report *report, const struct callers *callers)
{
	static const struct table_column columns[] = {{"begin at", TABLE_LEFT}, {"commits", TABLE_RIGHT},
		{"attempts", TABLE_RIGHT}, {"aborted", TABLE_RIGHT}, {"ratio", TABLE_RIGHT}, {"measured", TABLE_RIGHT},
		{0}};
	struct report_table *table = report_table_create(report->out, columns);
	size_t left_out = add_rows(report, table, callers, 0, callers->len);
	struct callers exact = {.is_exact = true};
	struct callers_row sum = {.commits = callers->commits, .aborts = callers->aborts};
	for (size_t row = 0; row < callers->len; row = callers_next(callers, row))
		sum.measured += callers->rows[row].measured;
	exact.has_callers = callers->has_callers;
	add_row(&exact, table, "all", &sum);
	report_table_finish(&table);
	report_rest(report, left_out, "--top=N");
}

void report_by_transaction(const struct report *report)
{
	struct callers callers = callers_make(report->recording, report->symbols);
	if (callers.len != 0) {
		print_heading(report, &callers);
		print_table(report, &callers);
	} else {
		printer_text(report->out, "No transaction was measured\n");
	}
	callers_fini(&callers);
}
