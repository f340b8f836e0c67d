/* SPDX-License-Identifier: MIT
 * The text report: the same bytes for the same recording and the same files on disk, but for colour on a terminal. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account.h"
#include "cause.h"
#include "estimate.h"
#include "number.h"
#include "passive.h"
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

/* "libitm htm"; files of earlier versions, and runtimes that have one method only, do not say which. */
static void print_runtime(const struct report *report)
{
	const struct recording_info *info = &report->recording->info;
	bool is_word = strcmp(info->method, "unknown") != 0 && strcmp(info->method, RECORDING_MIXED) != 0;
	report_name(report, info->runtime[0] != '\0' ? info->runtime : "unknown runtime");
	if (info->method[0] == '\0')
		return;
	fputs(is_word ? " " : ", method ", report->out);
	report_name(report, info->method);
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
	if (info->runs != 1)
		fprintf(report->out, " (%s runs): ", number_count(info->runs).text);
	else
		fprintf(report->out, " (pid %" PRIu64 "): ", info->pid);
	print_runtime(report);
	uint64_t threads = thread_count(recording);
	fprintf(report->out, ", %s thread%s", number_count(threads).text, threads == 1 ? "" : "s");
	if (info->processors != 0)
		fprintf(report->out, " on %s processor%s", number_count(info->processors).text,
			info->processors == 1 ? "" : "s");
	fprintf(report->out, ", %s, clock ", number_time(info->wall_ns).text);
	report_name(report, info->clock[0] != '\0' ? info->clock : "unknown");
}

static void thread_row(
	const struct report *report, struct libscols_table *table, const struct stmlog_thread_record *thread)
{
	struct account account = account_estimate(report->recording, thread);
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

void report_threads_with(const struct report *report, const struct table_column *columns, report_thread_row *row)
{
	const struct recording *recording = report->recording;
	size_t count = recording->thread_count;
	size_t shown = report->options.is_full || count <= THREADS_AT_A_GLANCE ? count : THREADS_AT_A_GLANCE;
	report_bold(report, "Threads\n");
	struct libscols_table *table = table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		row(report, table, &recording->threads[i]);
	table_finish(&table);
	if (shown < count)
		fprintf(report->out, "... %zu more (--full)\n", count - shown);
}

void report_threads(const struct report *report)
{
	static const struct table_column columns[] = {{"id", TABLE_RIGHT}, {"name", TABLE_LEFT},
		{"attached", TABLE_RIGHT}, {"committed", TABLE_RIGHT}, {"aborted", TABLE_RIGHT},
		{"paused", TABLE_RIGHT}, {"waiting", TABLE_RIGHT}, {"other", TABLE_RIGHT}, {"outside", TABLE_RIGHT},
		{"commits", TABLE_RIGHT}, {"aborts", TABLE_RIGHT}, {0}};
	report_threads_with(report, columns, thread_row);
}

/* Counts and times of the totals, which miss nothing; the rest of the entries, which alone have it. */
static struct tally causes_of(const struct report *report)
{
	const struct recording *recording = report->recording;
	struct tally causes = tally_make(recording->total_count + recording->entry_count);
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

static void cause_row(const struct report *report, struct libscols_table *table, const struct tally_row *row)
{
	const struct tally_sum *sum = &row->sum;
	struct number lost = estimate_text(report->recording, sum), share = estimate_share(report->recording, sum);
	struct number count = number_count(sum->count), longest = number_time(sum->longest_ns);
	struct number each = number_time(sum->count != 0 ? sum->lost_ns / sum->count : 0);
	struct number wasted = number_time(sum->wasted_ns);
	const char *cells[] = {cause_reason_name((uint32_t)row->key[0]), cause_contention_name((uint32_t)row->key[1]),
		lost.text, share.text, count.text, each.text, longest.text, wasted.text};
	table_row(table, cells);
}

void report_causes(const struct report *report)
{
	static const struct table_column columns[] = {{"reason", TABLE_LEFT}, {"contention", TABLE_LEFT},
		{"lost", TABLE_RIGHT}, {"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"each", TABLE_RIGHT},
		{"longest", TABLE_RIGHT}, {"for nothing", TABLE_RIGHT}, {0}};
	struct tally causes = causes_of(report);
	size_t shown = report_shown(report, &causes);
	report_bold(report, "Causes\n");
	struct libscols_table *table = table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		cause_row(report, table, &causes.rows[i]);
	table_finish(&table);
	if (report->recording->evicted_count > 0)
		fprintf(report->out, "'longest' and 'for nothing' are without the %s losses evicted\n",
			number_count(report->recording->evicted_count).text);
	tally_drop(&causes);
}

static void report_entries_and_pairs(const struct report *report)
{
	report_entries(report);
	report_pairs_briefly(report);
}

static void print_losses(const struct report *report)
{
	static void (*const by[])(const struct report *report) = {
		[REPORT_BY_ENTRY] = report_entries_and_pairs,
		[REPORT_BY_SITE] = report_sites,
		[REPORT_BY_PAIR] = report_pairs,
		[REPORT_BY_OBJECT] = report_by_object,
		[REPORT_BY_THREAD] = report_by_thread,
		[REPORT_BY_CAUSE] = report_causes,
	};
	by[report->options.by](report);
}

/* Where nothing was lost they still say how often. */
static void print_distributions(const struct report *report)
{
	if (report->options.is_full || report->options.by == REPORT_BY_SITE)
		report_transactions(report);
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
	if (passive_is(recording)) {
		report_passive_threads(report);
		return;
	}
	if (recording_total(recording).count == 0) {
		fprintf(report->out, "Nothing was lost: no transaction%s aborted, paused or waited.\n",
			recording_is_sampled(recording) ? " that was measured" : "");
	} else {
		print_losses(report);
	}
	print_distributions(report);
	fputc('\n', report->out);
	report_threads(report);
	report_work(report);
}
