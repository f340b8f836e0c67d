/* SPDX-License-Identifier: MIT
 * Prints a passive recording by itself, or beside a recording with the agent. */
#include "recorded_account.h"
#include "number.h"
#include "passive.h"
#include "report.h"
#include "report_memory.h"
#include "report_table.h"
#include "utf8.h"

static void restarts_row(const struct report *report, struct report_table *table, const char *word, uint64_t count)
{
	struct number number = number_count(count), rate = number_rate(count, report->recording->info.wall_ns);
	struct number share = number_share(count, account_total(report->recording).aborts);
	char *clean = utf8_clean(word, UTF8_HIDE_CONTROLS);
	const char *cells[] = {clean, number.text, share.text, rate.text};
	report_table_row(table, cells);
	memory_free(clean);
}

void report_passive(const struct report *report)
{
	static const struct table_column columns[] = {{"aborts", TABLE_LEFT}, {"count", TABLE_RIGHT},
		{"share", TABLE_RIGHT}, {"per second", TABLE_RIGHT}, {0}};
	const struct recording_list *restarts = &report->recording->info.restarts;
	printer_text(report->out,
		"passive: no entry of the STM was hooked; these aborts are its own count of its restarts.\n"
		"It does not count commits, and no time was measured.\n\n");
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < restarts->len; i++) {
		char word[64];
		uint64_t count = report_restarts(restarts->at[i], word);
		if (count != 0)
			restarts_row(report, table, word, count);
	}
	restarts_row(report, table, "all", account_total(report->recording).aborts);
	report_table_finish(&table);
}

static void print_ratio(const struct report *report)
{
	const struct recording *with = report->recording, *without = report->passive;
	double ratio = passive_ratio(without, with);
	printer_format(report->out, "aborts without the agent / with it: %s / %s",
		number_count(passive_restarts(without)).text,
		recording_has_exact_totals(with) ? number_count(passive_restarts(with)).text : "not known");
	if (ratio >= 0)
		printer_format(report->out, " (with it %s times as many)", number_rounded(ratio, 2).text);
	printer_text(report->out, "\n");
}

void report_beside_passive(const struct report *report)
{
	if (report->passive == NULL)
		return;
	uint64_t with_ns = report->recording->info.wall_ns, without_ns = report->passive->info.wall_ns;
	print_ratio(report);
	printer_format(report->out, "run time without the agent / with it: %s / %s", number_time(without_ns).text,
		number_time(with_ns).text);
	if (without_ns != 0)
		printer_format(report->out, " (with it %s times as long)",
			number_rounded((double)with_ns / (double)without_ns, 2).text);
	printer_text(report->out, "\n");
}
