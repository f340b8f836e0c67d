/* SPDX-License-Identifier: MIT
 * The text report: the same bytes for the same recording and the same files on disk, but for colour on a terminal. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account.h"
#include "cause.h"
#include "number.h"
#include "report.h"
#include "table.h"
#include "utf8.h"

enum { THREADS_AT_A_GLANCE = 16 };

void report_name(const struct report *report, const char *name)
{
	char *clean = utf8_clean(name, UTF8_HIDE_CONTROLS);
	fputs(clean, report->out);
	free(clean);
}

static bool may_colour(FILE *out)
{
	const char *never = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");
	if (never != NULL && never[0] != '\0')
		return false;
	return isatty(fileno(out)) && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

void report_bold(const struct report *report, const char *text)
{
	bool is_coloured = may_colour(report->out);
	fprintf(report->out, "%s%s%s", is_coloured ? "\033[1m" : "", text, is_coloured ? "\033[0m" : "");
}

/* The remainder stands for those that got no record of their own. */
static uint64_t thread_count(const struct recording *recording)
{
	bool has_remainder = recording->thread_count > 0 && recording->threads[0].id == 0;
	return recording->thread_count - has_remainder + recording->info.threads_dropped;
}

static void print_header(const struct report *report)
{
	const struct recording *recording = report->recording;
	const struct recording_info *info = &recording->info;
	report_bold(report, "stmlog:");
	for (size_t i = 0; i < info->args.len; i++) {
		fputc(' ', report->out);
		report_name(report, info->args.at[i]);
	}
	if (info->args.len == 0) {
		fputc(' ', report->out);
		report_name(report, info->program[0] != '\0' ? info->program : "a program");
	}
	fprintf(report->out, " (pid %" PRIu64 "): ", info->pid);
	report_name(report, info->runtime[0] != '\0' ? info->runtime : "unknown runtime");
	uint64_t threads = thread_count(recording);
	fprintf(report->out, ", %s thread%s, %s, clock ", number_count(threads).text, threads == 1 ? "" : "s",
		number_time(info->wall_ns).text);
	report_name(report, info->clock[0] != '\0' ? info->clock : "unknown");
}

static void thread_row(
	const struct report *report, struct libscols_table *table, const struct stmlog_thread_record *thread)
{
	struct account account = account_of(thread);
	uint64_t whole = account.attached_ns;
	struct number id = number_count(thread->id);
	struct number attached = number_time(account.attached_ns);
	struct number commits = number_count(account.commits), aborts = number_count(account.aborts);
	const uint64_t parts[] = {account.committed_ns, account.aborted_ns, account.paused_ns, account.waiting_ns,
		account.other_ns, account.outside_ns};
	struct number shares[sizeof parts / sizeof parts[0]];
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		shares[i] = number_share(parts[i], whole);
	const char *name = thread->id != 0 ? recording_string(report->recording, thread->name) : "(all others)";
	char *clean = utf8_clean(name, UTF8_HIDE_CONTROLS);
	const char *cells[] = {id.text, clean, attached.text, shares[0].text, shares[1].text, shares[2].text,
		shares[3].text, shares[4].text, shares[5].text, commits.text, aborts.text};
	table_row(table, cells);
	free(clean);
}

void report_threads(const struct report *report)
{
	static const struct table_column columns[] = {{"id", TABLE_RIGHT}, {"name", TABLE_LEFT},
		{"attached", TABLE_RIGHT}, {"committed", TABLE_RIGHT}, {"aborted", TABLE_RIGHT},
		{"paused", TABLE_RIGHT}, {"waiting", TABLE_RIGHT}, {"other", TABLE_RIGHT}, {"outside", TABLE_RIGHT},
		{"commits", TABLE_RIGHT}, {"aborts", TABLE_RIGHT}, {0}};
	const struct recording *recording = report->recording;
	size_t count = recording->thread_count;
	size_t shown = report->options.is_full || count <= THREADS_AT_A_GLANCE ? count : THREADS_AT_A_GLANCE;
	report_bold(report, "Threads\n");
	struct libscols_table *table = table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		thread_row(report, table, &recording->threads[i]);
	table_finish(&table);
	if (shown < count)
		fprintf(report->out, "... %zu more (--full)\n", count - shown);
}

void report_causes(const struct report *report)
{
	static const struct table_column columns[] = {{"reason", TABLE_LEFT}, {"contention", TABLE_LEFT},
		{"lost", TABLE_RIGHT}, {"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"each", TABLE_RIGHT}, {0}};
	const struct recording *recording = report->recording;
	uint64_t lost_ns = recording_total(recording).lost_ns;
	report_bold(report, "Causes\n");
	struct libscols_table *table = table_create(report->out, columns);
	for (size_t i = 0; i < recording->total_count; i++) {
		const struct stmlog_total_record *total = &recording->totals[i];
		struct number lost = number_time(total->lost_ns), share = number_share(total->lost_ns, lost_ns);
		struct number count = number_count(total->count);
		struct number each = number_time(total->count != 0 ? total->lost_ns / total->count : 0);
		const char *cells[] = {cause_reason_name(total->reason), cause_contention_name(total->contention),
			lost.text, share.text, count.text, each.text};
		table_row(table, cells);
	}
	table_finish(&table);
}

void report_text(const struct report *report)
{
	const struct recording *recording = report->recording;
	print_header(report);
	if (recording->thread_count == 0 && recording->total_count == 0) {
		fputs(": nothing was recorded\n", report->out);
		return;
	}
	fputs("\n\n", report->out);
	report_sums(report);
	fputc('\n', report->out);
	if (recording_total(recording).count == 0) {
		fputs("Nothing was lost: no transaction aborted, paused or waited.\n", report->out);
	} else if (report->options.by == REPORT_BY_CAUSE) {
		report_causes(report);
	} else {
		report_entries(report);
	}
	fputc('\n', report->out);
	report_threads(report);
}
