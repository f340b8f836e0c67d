/* SPDX-License-Identifier: MIT
 * A passive recording, by itself and beside one with the agent. */
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "number.h"
#include "passive.h"
#include "report.h"
#include "table.h"
#include "utf8.h"

static void restarts_row(const struct report *report, struct libscols_table *table, const char *word, uint64_t count)
{
	struct number number = number_count(count), rate = number_rate(count, report->recording->info.wall_ns);
	struct number share = number_share(count, account_total(report->recording).aborts);
	char *clean = utf8_clean(word, UTF8_HIDE_CONTROLS);
	const char *cells[] = {clean, number.text, share.text, rate.text};
	table_row(table, cells);
	free(clean);
}

uint64_t report_restarts(const char *line, char word[64])
{
	uint64_t count = 0;
	size_t len = strcspn(line, "="), kept = len < 63 ? len : 63;
	memcpy(word, line, kept);
	word[kept] = '\0';
	number_parse(line + len + (line[len] == '='), &count);
	return count;
}

void report_passive(const struct report *report)
{
	static const struct table_column columns[] = {{"aborts", TABLE_LEFT}, {"count", TABLE_RIGHT},
		{"share", TABLE_RIGHT}, {"per second", TABLE_RIGHT}, {0}};
	const struct recording_list *restarts = &report->recording->info.restarts;
	fputs("passive: no entry of the STM was hooked; these aborts are its own count of its restarts.\n"
	      "It does not count commits, and no time was measured.\n\n",
		report->out);
	struct libscols_table *table = table_create(report->out, columns);
	for (size_t i = 0; i < restarts->len; i++) {
		char word[64];
		uint64_t count = report_restarts(restarts->at[i], word);
		if (count != 0)
			restarts_row(report, table, word, count);
	}
	restarts_row(report, table, "all", account_total(report->recording).aborts);
	table_finish(&table);
}

static void thread_row(
	const struct report *report, struct libscols_table *table, const struct stmlog_thread_record *thread)
{
	struct number id = number_count(thread->id), time = number_time(thread->attached_ns);
	struct number aborts = number_count(account_of(thread).aborts);
	const char *name = thread->id != 0 ? recording_string(report->recording, thread->name) : "(all others)";
	char *clean = utf8_clean(name, UTF8_HIDE_CONTROLS);
	const char *cells[] = {id.text, clean, time.text, aborts.text};
	table_row(table, cells);
	free(clean);
}

void report_passive_threads(const struct report *report)
{
	static const struct table_column columns[] = {
		{"id", TABLE_RIGHT}, {"name", TABLE_LEFT}, {"lived", TABLE_RIGHT}, {"aborts", TABLE_RIGHT}, {0}};
	report_threads_with(report, columns, thread_row);
}

static void print_ratio(const struct report *report)
{
	const struct recording *with = report->recording, *without = report->passive;
	double ratio = passive_ratio(without, with);
	fprintf(report->out, "aborts without the agent / with it: %s / %s",
		number_count(passive_restarts(without)).text,
		recording_has_exact_totals(with) ? number_count(passive_restarts(with)).text : "not known");
	if (ratio >= 0)
		fprintf(report->out, " (with it %.2f times as many)", ratio);
	fputc('\n', report->out);
}

void report_beside_passive(const struct report *report)
{
	if (report->passive == NULL)
		return;
	uint64_t with_ns = report->recording->info.wall_ns, without_ns = report->passive->info.wall_ns;
	print_ratio(report);
	fprintf(report->out, "run time without the agent / with it: %s / %s", number_time(without_ns).text,
		number_time(with_ns).text);
	if (without_ns != 0)
		fprintf(report->out, " (with it %.2f times as long)", (double)with_ns / (double)without_ns);
	fputc('\n', report->out);
}
