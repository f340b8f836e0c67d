/* SPDX-License-Identifier: MIT
 * Prints the sums at the head of a report: the account, the cost of recording, and what was not recorded. Sorts a
 * report's lists, and prints their headings and ends. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <stmlog/read.h>

#include "estimate.h"
#include "number.h"
#include "printer.h"
#include "recorded_account.h"
#include "report.h"
#include "report_memory.h"
#include "saturate.h"
#include "utf8.h"

/* ---- the account ---- */

struct account_table {
	const struct report *report;
	struct report_table *table;
	bool has_ranges; /* whether the table has a column for them */
};

/* `count` is NULL for a time without a count, `range` for one whose interval is not known. */
static void add_cells(const struct account_table *account, const char *name, const struct estimate *time,
	const char *range, struct number share, const uint64_t *count)
{
	struct number point = estimate_point(time), number = {""}, rate = {""};
	if (count != NULL) {
		number = number_count(*count);
		rate = number_rate(*count, account->report->recording->info.wall_ns);
	}
	const char *with[] = {name, point.text, share.text, range, number.text, rate.text};
	const char *without[] = {name, point.text, share.text, number.text, rate.text};
	report_table_row(account->table, account->has_ranges ? with : without);
}

static void add_account_row(const struct account_table *account, const char *name, const struct estimate *time,
	struct number share, const uint64_t *count)
{
	struct number range = estimate_range(time);
	add_cells(account, name, time, range.text, share, count);
}

/* Adds a row without a time: its time is part of the other rows. */
static void add_not_known(const struct account_table *account, const char *name)
{
	const char *cells[] = {name, "not known", NULL, NULL, NULL, NULL};
	report_table_row(account->table, cells);
}

/* "-" if no thread was attached. */
static struct number account_share(const struct recorded_account *total, unsigned tenths)
{
	return total->attached_ns != 0 ? number_tenths(tenths) : number_share(0, 0);
}

/* Under htm only those losses are seen that the program has asked for. */
static bool is_row_known(const struct recording *recording, enum stmlog_account_row row, const uint64_t *count)
{
	bool is_loss = row == STMLOG_ACCOUNT_ABORTED || row == STMLOG_ACCOUNT_PAUSED || row == STMLOG_ACCOUNT_WAITING;
	if (row == STMLOG_ACCOUNT_DESCHEDULED)
		return recording->info.descheduled_known != 0;
	return !is_loss || *count != 0 || !recording_hides_losses(recording);
}

/* Adds the parts of the row `other` that have a word of the runtime's. If the row is an estimate, so are its
 * parts: each has the share of it that it has of the measured time. */
static void add_own_work(const struct account_table *account, const struct estimate *other, uint64_t attached_ns)
{
	const struct recording *recording = account->report->recording;
	for (size_t i = 0; i < recording->own_work_count; i++) {
		const struct stmlog_own_work_record *work = &recording->own_work[i];
		double share = other->measured_ns != 0 ? (double)work->ns / (double)other->measured_ns : 0;
		struct estimate time = {.ns = saturated_whole(share * (double)other->ns), .is_exact = other->is_exact};
		char *word = utf8_clean(work->word, UTF8_HIDE_CONTROLS), *name = memory_format("  %s", word);
		add_cells(account, name, &time, NULL, number_share(time.ns, attached_ns), &work->count);
		memory_free(name);
		memory_free(word);
	}
}

static void add_account_rows(const struct account_table *account, const struct account_rows *rows,
	const struct recorded_account *total, const struct account_shares *shares)
{
	static const enum stmlog_account_row order[STMLOG_ACCOUNT_ROWS] = {STMLOG_ACCOUNT_COMMITTED,
		STMLOG_ACCOUNT_ABORTED, STMLOG_ACCOUNT_PAUSED, STMLOG_ACCOUNT_WAITING, STMLOG_ACCOUNT_BLOCKED,
		STMLOG_ACCOUNT_DESCHEDULED, STMLOG_ACCOUNT_OTHER, STMLOG_ACCOUNT_OUTSIDE};
	const uint64_t *counts[STMLOG_ACCOUNT_ROWS] = {&total->commits, &total->aborts, &total->pauses, &total->waits,
		&total->others, NULL, &total->descheduled, &total->blocked};
	for (size_t i = 0; i < STMLOG_ACCOUNT_ROWS; i++) {
		const char *name = account_row_name(order[i]);
		if (order[i] == STMLOG_ACCOUNT_BLOCKED && total->blocked == 0)
			continue; /* few runtimes know a retry that blocks */
		if (!is_row_known(account->report->recording, order[i], counts[order[i]]))
			add_not_known(account, name);
		else
			add_account_row(account, name, &rows->at[order[i]],
				account_share(total, shares->tenths[order[i]]), counts[order[i]]);
		if (order[i] == STMLOG_ACCOUNT_OTHER)
			add_own_work(account, &rows->at[order[i]], total->attached_ns);
	}
}

static void print_account(const struct report *report, const struct recorded_account *total)
{
	static const struct table_column with[] = {{"account", TABLE_LEFT}, {"time", TABLE_RIGHT},
		{"share", TABLE_RIGHT}, {"between", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"per second", TABLE_RIGHT},
		{0}};
	static const struct table_column without[] = {{"account", TABLE_LEFT}, {"time", TABLE_RIGHT},
		{"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"per second", TABLE_RIGHT}, {0}};
	struct account_rows rows = account_rows_total(report->recording);
	struct estimate open = estimate_exact(total->open_ns), attached = estimate_exact(total->attached_ns);
	struct account_shares shares = account_shares(report->recording);
	bool is_sampled = recording_is_sampled(report->recording);
	struct account_table account = {
		report, report_table_create(report->out, is_sampled ? with : without), is_sampled};
	add_account_rows(&account, &rows, total, &shares);
	add_account_row(&account, "open", &open, account_share(total, shares.tenths[ACCOUNT_OPEN]), NULL);
	add_account_row(&account, "attached", &attached, number_share(total->attached_ns, total->attached_ns), NULL);
	report_table_finish(&account.table);
}

/* ---- lines ---- */

struct libitm_id {
	char text[sizeof(struct module_id) + sizeof " (build-id )"];
};

/* Prints how many transactions were timed and how many were measured closely; nothing if all were measured. */
static void print_sampling(const struct report *report, const struct recorded_account *total)
{
	const struct recording *recording = report->recording;
	uint64_t timed = recording->info.timed_commits, closely = account_measured_commits(recording);
	if (!recording_is_sampled(recording))
		return;
	printer_format(report->out, "estimated: of %s commits ", number_count(total->commits).text);
	if (timed != 0)
		printer_format(report->out, "%s were timed, %s measured closely, at random;\n",
			number_count(timed).text, number_count(closely).text);
	else
		printer_format(report->out, "%s were measured, at random;\n", number_count(closely).text);
	printer_format(
		report->out, "           counts of losses are of those measured%s;\n", timed != 0 ? " closely" : "");
	printer_text(report->out, "           ~ is an estimate for all of them; the true time lies in the interval\n"
				  "           beside it in 95 of 100 such runs\n");
}

static void print_estimated_waits(const struct report *report, const struct recorded_account *total)
{
	if (report->recording->info.waits_estimated != 0 && total->pauses + total->waits != 0)
		printer_text(report->out,
			"estimated: times of pauses and waits, from how long the STM's calls have taken\n");
}

/* " (build-id 52e5fc...)"; "" if the recording has no libitm. */
static struct libitm_id build_id_of_libitm(const struct recording *recording)
{
	struct libitm_id id = {""};
	for (size_t i = 0; i < recording->module_count && id.text[0] == '\0'; i++) {
		const struct stmlog_module_record *module = &recording->modules[i];
		const char *path = recording_string(recording, module->path), *slash = strrchr(path, '/');
		if (strncmp(slash != NULL ? slash + 1 : path, "libitm.so", sizeof "libitm.so" - 1) == 0)
			snprintf(id.text, sizeof id.text, " (build-id %s)", module_build_id(module).text);
	}
	return id;
}

/* Prints which aborts are missing, or that the counts of commits and aborts are exact; nothing if neither is known. */
static void print_exactness(const struct report *report)
{
	const struct recording *recording = report->recording;
	if (recording->info.aborts_estimated != 0)
		printer_text(report->out, "counts of commits are exact, and those of aborts are estimates\n");
	if (!recording_has_times(recording) || recording_hides_losses(recording) ||
		recording->info.counters_known == RECORDING_UNSAID)
		return;
	if (recording->info.counters_known == 0 && recording_is_sampled(recording))
		printer_format(report->out,
			"aborts of transactions that were not measured are missing: the counters of this libitm%s are "
			"not known\n",
			build_id_of_libitm(recording).text);
	else if (recording_has_exact_totals(recording))
		printer_text(report->out, "counts of commits and aborts are exact, of all transactions\n");
}

static void print_probes(const struct report *report, const struct recorded_account *total)
{
	const struct recording_info *info = &report->recording->info;
	if (info->probe_events == 0)
		return;
	double each_ns = (double)info->probe_cost_ns / (double)info->probe_events;
	printer_format(report->out, "probes: %s events x %s ns", number_count(info->probe_events).text,
		number_rounded(each_ns, 1).text);
	if (info->origins_cost_ns != 0)
		printer_format(report->out, ", %s origins x %s ns", number_count(info->origins).text,
			number_rounded((double)info->origins_cost_ns / (double)info->origins, 1).text);
	printer_format(
		report->out, " = %s of the run\n", number_share(recording_probes_ns(info), total->attached_ns).text);
}

/* Prints the memory that the events of the timeline took; nothing without a timeline. */
static void print_timeline(const struct report *report)
{
	uint64_t bytes = report->recording->info.events_bytes;
	if (bytes != 0)
		printer_format(report->out, "timeline: its events took %s of the program's memory\n",
			number_bytes(bytes).text);
}

/* Prints the observer effect. The run itself shows it if there were enough phases and aborts, both with measuring and
 * without. */
static void print_observer(const struct report *report)
{
	const struct recording *recording = report->recording;
	const struct recording_info *info = &recording->info;
	struct observer observer = observer_of(info);
	if (observer.is_known)
		printer_format(report->out,
			"observer effect: %s to %s times as many aborts while measuring as without,\n"
			"                 about %s (%s per transaction), in %s phases with and %s without\n",
			number_rounded(observer.low, 2).text, number_rounded(observer.high, 2).text,
			number_rounded(observer.effect, 2).text, number_rounded(observer.per_transaction, 2).text,
			number_count(info->on_phases).text, number_count(info->off_phases).text);
	else if (observer.is_in_bursts)
		printer_format(report->out,
			"observer effect: not known: aborts come in bursts (%s to %s times as many while measuring)\n",
			number_rounded(observer.low, 2).text, number_rounded(observer.high, 2).text);
	else if (!recording_is_sampled(recording))
		printer_text(report->out, "observer effect: not known, since each transaction was measured\n");
	else if (info->on_phases + info->off_phases == 0)
		printer_text(report->out,
			"observer effect: not known, since there were no phases without measuring to compare with\n");
	else
		printer_format(report->out,
			"observer effect: not known: this run has too few aborts or phases to tell\n"
			"                 (%s aborts in %s phases with measuring, %s in %s without)\n",
			number_count(info->on_aborts).text, number_count(info->on_phases).text,
			number_count(info->off_aborts).text, number_count(info->off_phases).text);
}

static void print_hardware_counts(const struct report *report, const struct recording_info *info)
{
	uint64_t commits = account_total(report->recording).commits;
	printer_format(report->out, "hardware: %s commits, fallbacks %s", number_count(info->hardware_commits).text,
		number_count(info->hardware_fallbacks).text);
	if (commits != 0)
		printer_format(
			report->out, " = %s of transactions", number_share(info->hardware_fallbacks, commits).text);
	printer_text(report->out, "\n");
}

/* Prints how many transactions ran in hardware, if libitm may have used it, and what is not known of them. */
static void print_hardware(const struct report *report)
{
	const struct recording_info *info = &report->recording->info;
	if (!recording_hides_losses(report->recording))
		return;
	if (info->hardware_commits != RECORDING_UNSAID)
		print_hardware_counts(report, info);
	printer_text(report->out,
		"libitm reports neither aborts nor waits of hardware transactions: their time is among that "
		"committed\n");
}

/* Prints the counts of all that could not be recorded; nothing if all are 0, as in most recordings. */
static void print_not_recorded(const struct report *report)
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
		{info->calls_lost, "calls of hooks in signal handlers that had interrupted a hook"},
		{info->codes_lost, "pieces of code without a number of their own"},
		{info->labels_lost, "labels of data, or losses over labelled data, that could not be kept"},
		{info->threads_dropped, "threads without a record of their own"},
		{info->misuses, "calls refused as the caller's mistakes"},
		{info->logs_unread, "logs of threads that could not be read"},
		{info->killed_within, "threads killed while an event was recorded"},
		{info->attaches_refused, "attaches of threads refused for want of memory"},
		{info->threads_uncounted, "threads whose last aborts could not be counted"},
		{info->blocks_missing, "blocks of memory beyond what is remembered"},
		{info->blocks_forgotten, "freed blocks forgotten for newer ones"},
		{info->threads_without_clock,
			"threads that may not read the clock, whose transactions are only counted"},
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

/* Prints that frames were left out. Each traceback shows how many of its own are. All sums are computed from whole
 * tracebacks. */
static void print_limit(const struct report *report)
{
	if (report->recording->deepest == SIZE_MAX)
		return;
	printer_format(report->out,
		"left out - frames beyond the innermost %s of each traceback: all are more than %s\n",
		number_count(report->recording->deepest).text, number_count(RECORDING_MAX_FRAMES).text);
}

static void print_aborts_alone(const struct report *report)
{
	printer_format(report->out, "%s aborts by libitm's own count; no time was measured, and no commit counted\n",
		number_count(account_total(report->recording).aborts).text);
}

static void print_measured(const struct report *report)
{
	struct recorded_account total = account_total(report->recording);
	print_account(report, &total);
	printer_format(report->out, "residual %" PRId64 " ns\n", account_residual(&total));
	uint64_t wall_ns = report->recording->info.wall_ns;
	printer_format(report->out, "%s transactions", number_rate(total.commits, wall_ns).text);
	if (!recording_hides_losses(report->recording))
		printer_format(
			report->out, " and %s attempts", number_rate(total.commits + total.aborts, wall_ns).text);
	printer_text(report->out, " per second\n");
	print_sampling(report, &total);
	print_estimated_waits(report, &total);
	print_probes(report, &total);
	print_timeline(report);
	print_observer(report);
}

void report_sums(const struct report *report)
{
	if (recording_has_times(report->recording))
		print_measured(report);
	else
		print_aborts_alone(report);
	print_exactness(report);
	print_hardware(report);
	print_not_recorded(report);
	print_limit(report);
}

/* ---- lists ---- */

struct tally report_sorted(const struct report *report)
{
	struct tally sorted = tally_make(report->recording, report->recording->entry_count);
	for (size_t i = 0; i < report->recording->entry_count; i++) {
		struct tally_sum sum = tally_sum_of(&report->recording->entries[i]);
		tally_add(&sorted, i, 0, &sum);
	}
	tally_group(&sorted, report->options.sort);
	return sorted;
}

size_t report_listed(const struct report *report, const struct tally *tally)
{
	return tally->len < report->options.top ? tally->len : report->options.top;
}

size_t report_shown(const struct report *report, const struct tally *tally)
{
	size_t known = tally_known(tally, report->options.sort);
	return known < report->options.top ? known : report->options.top;
}

/* Prints all lost time, and the part of it whose entries were evicted. */
static void print_lost(const struct report *report)
{
	const struct recording *recording = report->recording;
	const char *measured = recording_is_sampled(recording) ? "measured " : "";
	uint64_t count = recording_total(recording).count;
	printer_format(report->out, "lost: %s in %s %sloss%s%s", estimate_text_total(recording).text,
		number_count(count).text, measured, count == 1 ? "" : "es",
		recording->evicted_count == 0 ? "; evicted: 0\n" : "\n");
	if (recording->evicted_count > 0)
		printer_format(report->out, "of these evicted: %s losses, %s\n",
			number_count(recording->evicted_count).text, estimate_text_evicted(recording).text);
}

void report_heading(const struct report *report, const char *title, const struct tally *tally, size_t shown)
{
	uint64_t covered_ns = 0, all_ns = estimate_of_total(report->recording).ns;
	for (size_t i = 0; i < shown; i++)
		covered_ns += tally->rows[i]->lost.ns;
	printer_bold(report->out, title);
	printer_format(report->out, " the %zu shown cover %s of the time lost\n", shown,
		number_share(covered_ns < all_ns ? covered_ns : all_ns, all_ns).text);
	print_lost(report);
}

void report_rest(const struct report *report, size_t rest, const char *how)
{
	if (rest > 0)
		printer_format(report->out, "... %zu more (%s)\n", rest, how);
}

void report_too_few(const struct report *report, const struct tally *tally, const char *one, const char *many)
{
	size_t known = tally_known(tally, report->options.sort), few = tally->len - known;
	struct tally_sum sum = {.count = 0};
	for (size_t i = known; i < tally->len; i++)
		tally_sum_add(&sum, &tally->rows[i]->sum);
	if (few > 0)
		printer_format(report->out, "too few to say: %zu %s of under %d measured losses%s, at most ~ %s%s\n",
			few, few == 1 ? one : many, ESTIMATE_MIN_LOSSES, few == 1 ? "" : " each",
			number_time(estimate_of(report->recording, &sum).high_ns).text, few == 1 ? "" : " together");
}

void report_ends(
	const struct report *report, const struct tally *tally, size_t shown, const char *one, const char *many)
{
	report_rest(report, tally_known(tally, report->options.sort) - shown, "--top=N");
	report_too_few(report, tally, one, many);
}

const char *report_times(uint64_t count)
{
	return count == 1 ? "time" : "times";
}

bool report_is_estimated_wait(const struct report *report, const struct stmlog_entry_record *entry)
{
	bool is_wait = entry->reason == STMLOG_PAUSE || entry->reason == STMLOG_WAIT;
	return is_wait && report->recording->info.waits_estimated != 0;
}
