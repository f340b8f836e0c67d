/* SPDX-License-Identifier: MIT
 * The sums at the head of a report: the account, the cost of recording, and what was not recorded. */
#include <inttypes.h>

#include "account.h"
#include "estimate.h"
#include "number.h"
#include "observer.h"
#include "passive.h"
#include "report.h"
#include "report_memory.h"
#include "report_table.h"

/* The names of times that are never estimated. */
static const char OPEN[] = "open", ATTACHED[] = "attached";

/* One line of the account. `count` is NULL for a time without a count. */
static void row(struct report_table *table, const struct report *report, const struct account *total, const char *name,
	uint64_t ns, const uint64_t *count)
{
	const struct recording_info *info = &report->recording->info;
	bool is_known = name == OPEN || name == ATTACHED;
	struct number time = is_known ? number_time(ns) : estimate_time(report->recording, ns);
	struct number share = number_share(ns, total->attached_ns);
	struct number number = {""}, rate = {""};
	if (count != NULL) {
		number = number_count(*count);
		rate = number_rate(*count, info->wall_ns);
	}
	const char *cells[] = {name, time.text, share.text, number.text, rate.text};
	report_table_row(table, cells);
}

static void print_account(const struct report *report, const struct account *total)
{
	static const struct table_column columns[] = {{"account", TABLE_LEFT}, {"time", TABLE_RIGHT},
		{"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"per second", TABLE_RIGHT}, {0}};
	struct report_table *table = report_table_create(report->out, columns);
	row(table, report, total, "committed", total->committed_ns, &total->commits);
	row(table, report, total, "aborted", total->aborted_ns, &total->aborts);
	row(table, report, total, "paused", total->paused_ns, &total->pauses);
	row(table, report, total, "waiting", total->waiting_ns, &total->waits);
	row(table, report, total, "other", total->other_ns, &total->others);
	row(table, report, total, "outside", total->outside_ns, NULL);
	row(table, report, total, OPEN, total->open_ns, NULL);
	row(table, report, total, ATTACHED, total->attached_ns, NULL);
	report_table_finish(&table);
}

/* How many transactions were measured; nothing if all were. */
static void print_sampling(const struct report *report, const struct account *measured)
{
	const struct recording *recording = report->recording;
	uint64_t commits = 0;
	if (!recording_is_sampled(recording))
		return;
	for (size_t i = 0; i < recording->thread_count; i++)
		commits += recording->threads[i].commits;
	printer_format(report->out,
		"estimated: measured in 1 of %s transactions, at random and in some phases (%s of %s commits);\n",
		number_count(recording->info.sample_every).text, number_count(commits).text,
		number_count(measured->commits).text);
	printer_text(
		report->out, recording->has_estimates
				     ? "           ~ is for all of them, +- its 95 % interval; counts of losses are "
				       "of those measured\n"
				     : "           times are those measured, 'outside' holds the others\n");
}

static void print_estimated_waits(const struct report *report, const struct account *total)
{
	if (report->recording->info.waits_estimated != 0 && total->pauses + total->waits != 0)
		printer_text(report->out,
			"estimated: times of pauses and waits, from how long the STM's calls have taken\n");
}

/* Says which aborts are missing, or that the counts of commits and aborts are exact; nothing if neither is known. */
static void print_exactness(const struct report *report)
{
	const struct recording *recording = report->recording;
	if (recording_misses_hardware(recording)) {
		printer_format(report->out, "aborts of hardware transactions are missing%s\n",
			passive_is(recording) ? ": they leave no counts in libitm"
					      : ", and their time is among that committed: nobody has seen them");
		return;
	}
	if (recording->info.counters_known == RECORDING_UNSAID)
		return;
	bool has_unmeasured = recording_is_sampled(recording) || passive_is(recording);
	if (recording->info.counters_known == 0 && has_unmeasured) {
		char *why = passive_why_unknown(recording);
		printer_format(report->out, "aborts of transactions that were not measured are missing: %s\n", why);
		memory_free(why);
	} else if (recording_has_exact_totals(recording)) {
		printer_format(report->out, "%s exact, of all transactions\n",
			recording->info.commits_known != 0 ? "counts of commits and aborts are" : "this count is");
	}
}

static void print_probes(const struct report *report, const struct account *total)
{
	const struct recording_info *info = &report->recording->info;
	if (info->probe_events == 0)
		return;
	double each_ns = (double)info->probe_cost_ns / (double)info->probe_events;
	printer_format(report->out, "probes: %s events x %s ns = %s of the run\n",
		number_count(info->probe_events).text, number_rounded(each_ns, 1).text,
		number_share(info->probe_cost_ns, total->attached_ns).text);
}

/* The observer effect is known if there were enough phases and aborts, both with measuring and without. */
static void print_observer(const struct report *report)
{
	const struct recording *recording = report->recording;
	const struct recording_info *info = &recording->info;
	struct observer observer = observer_of(info);
	if (observer.is_known)
		printer_format(report->out,
			"observer effect: about %s times as many aborts while measuring as without (%s per "
			"transaction),\n"
			"                 in %s phases with and %s without\n",
			number_rounded(observer.effect, 2).text, number_rounded(observer.per_transaction, 2).text,
			number_count(info->on_phases).text, number_count(info->off_phases).text);
	else if (!recording_is_sampled(recording))
		printer_text(report->out, "observer effect: not known, since each transaction was measured\n");
	else
		printer_format(report->out,
			"observer effect: not known, too few aborts or phases (%s with measuring, %s without)\n",
			number_count(info->on_phases).text, number_count(info->off_phases).text);
}

/* The counts of all that could not be recorded. Most recordings lack nothing; then nothing is printed. */
static void print_losses(const struct report *report)
{
	const struct recording_info *info = &report->recording->info;
	const struct {
		uint64_t count;
		const char *what;
	} losses[] = {
		{info->events_missing, "events missing"},
		{info->attempts_without_events, "attempts without events in the timeline, as they were not measured"},
		{info->tracebacks_unavailable, "tracebacks unavailable"},
		{info->writes_unrecorded, "first writes beyond what an attempt remembers"},
		{info->threads_dropped, "threads without a record of their own"},
		{info->misuses, "calls refused as the caller's mistakes"},
		{info->logs_unread, "logs of threads that could not be read"},
		{info->attaches_refused, "attaches of threads refused for want of memory"},
		{info->threads_uncounted, "threads whose last aborts could not be counted"},
		{info->blocks_missing, "blocks of memory beyond what is remembered"},
		{info->blocks_forgotten, "freed blocks forgotten for newer ones"},
		{info->threads_unseen, "threads that could not be watched for want of memory"},
		{info->contexts_dropped, "callers of a culprit, too many different ones"},
		{info->waits_unseen, "threads beyond those looked at when a transaction waits"},
	};
	const char *before = "not recorded - ";
	for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
		if (losses[i].count == 0)
			continue;
		printer_format(report->out, "%s%s: %s", before, losses[i].what, number_count(losses[i].count).text);
		before = ", ";
	}
	if (before[0] == ',')
		printer_text(report->out, "\n");
}

static void print_measured(const struct report *report)
{
	struct account measured = account_total(report->recording);
	struct account total = account_estimate_total(report->recording);
	print_account(report, &total);
	printer_format(report->out, "residual %" PRId64 " ns\n", account_residual(&measured));
	uint64_t wall_ns = report->recording->info.wall_ns;
	printer_format(report->out, "%s transactions and %s attempts per second\n",
		number_rate(total.commits, wall_ns).text, number_rate(total.commits + total.aborts, wall_ns).text);
	print_sampling(report, &measured);
	print_estimated_waits(report, &total);
	print_probes(report, &total);
	print_observer(report);
	report_beside_passive(report);
}

void report_sums(const struct report *report)
{
	if (passive_is(report->recording))
		report_passive(report);
	else
		print_measured(report);
	print_exactness(report);
	report_hardware(report);
	print_losses(report);
}
