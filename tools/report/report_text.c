/* SPDX-License-Identifier: MIT
 * Prints a report: the first screen, a header, then its other parts in order. The same recording and the same files on
 * disk give the same bytes, except for colour and width of a terminal. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "estimate.h"
#include "number.h"
#include "report_views.h"
#include "screen.h"
#include "short_name.h"

/* "libitm htm". Runtimes with only one method have no name of a method. */
static void print_runtime(const struct report *report)
{
	const struct recording_info *info = &report->recording->info;
	bool is_word = strcmp(info->method, "unknown") != 0 && strcmp(info->method, RECORDING_MIXED) != 0;
	printer_name(report->out, info->runtime[0] != '\0' ? info->runtime : "unknown runtime");
	if (info->method[0] == '\0')
		return;
	printer_text(report->out, is_word ? " " : ", method ");
	printer_name(report->out, info->method);
}

/* Says if a signal ended the program, or if it went on after the recording. */
static void print_ending(const struct report *report)
{
	const struct recording_info *info = &report->recording->info;
	char *ending = recording_ending_text(info);
	if (ending != NULL)
		printer_format(report->out, ", %s", ending);
	free(ending);
	if (info->snapshot != 0)
		printer_text(report->out, ", a snapshot: the program went on");
}

static void print_header(const struct report *report)
{
	const struct recording *recording = report->recording;
	const struct recording_info *info = &recording->info;
	printer_bold(report->out, "stmlog:");
	for (size_t i = 0; i < info->args.len; i++) {
		printer_text(report->out, " ");
		printer_name(report->out, info->args.at[i]);
	}
	if (info->args.len == 0) {
		printer_text(report->out, " ");
		printer_name(report->out, info->program[0] != '\0' ? info->program : "a program");
	}
	if (info->runs != 1)
		printer_format(report->out, " (%s runs): ", number_count(info->runs).text);
	else
		printer_format(report->out, " (pid %" PRIu64 "): ", info->pid);
	print_runtime(report);
	char *threads = report_threads_text(recording);
	printer_format(report->out, ", %s, %s, clock ", threads, number_time(info->wall_ns).text);
	free(threads);
	printer_name(report->out, info->clock[0] != '\0' ? info->clock : "unknown");
	print_ending(report);
}

/* False if timed transactions have lost time, something is under way, or losses are not seen. */
static bool is_nothing_lost(const struct recording *recording)
{
	return estimate_of_total(recording).ns == 0 && recording->open_count == 0 && !recording_hides_losses(recording);
}

/* By process, path and transaction there are tables also if nothing was lost: they have what was committed, too. */
static void print_losses(const struct report *report)
{
	static void (*const tables[])(const struct report *report) = {
		[REPORT_BY_ENTRY] = report_entries,
		[REPORT_BY_SITE] = report_sites,
		[REPORT_BY_PAIR] = report_pairs,
		[REPORT_BY_OBJECT] = report_by_object,
		[REPORT_BY_THREAD] = report_by_thread,
		[REPORT_BY_PROCESS] = report_by_process,
		[REPORT_BY_CAUSE] = report_causes,
		[REPORT_BY_PATH] = report_paths,
		[REPORT_BY_REGION] = report_by_region,
		[REPORT_BY_TRANSACTION] = report_by_transaction,
	};
	enum report_by by = report->options.by;
	bool has_losses = recording_total(report->recording).count != 0;
	bool has_commits = by == REPORT_BY_PROCESS || by == REPORT_BY_PATH || by == REPORT_BY_TRANSACTION;
	if (!has_losses && by != REPORT_BY_REGION) {
		bool is_nothing = is_nothing_lost(report->recording);
		printer_text(report->out, is_nothing ? "Nothing was lost: no transaction aborted, paused or waited.\n"
						     : "No abort, pause or wait was measured to its end.\n");
	}
	if (has_losses || has_commits || by == REPORT_BY_REGION)
		tables[by](report);
	printer_text(report->out, "\n");
	report_blocked(report);
	report_greens(report);
	if (report->options.is_full)
		report_labels(report);
	report_threads(report);
}

static bool has_transactions(const struct stmlog_thread_record *thread)
{
	uint64_t count = thread->commits + thread->aborts_data + thread->unmeasured_commits +
			 thread->unmeasured_aborts + thread->blocked_unattached;
	for (size_t i = 0; i < sizeof thread->aborts / sizeof thread->aborts[0]; i++)
		count += thread->aborts[i];
	return count != 0 || thread->attached_ns != thread->outside_ns;
}

/* Whether no thread has had a transaction, and nothing suggests that transactions are missing. */
static bool is_of_nothing(const struct recording *recording)
{
	const struct recording_info *info = &recording->info;
	bool has_any = recording_total(recording).count != 0 || recording->open_count != 0 || recording->has_timeline;
	for (size_t i = 0; i < recording->thread_count && !has_any; i++)
		has_any = has_transactions(&recording->threads[i]);
	return !has_any && recording_has_times(recording) &&
	       (info->misuses | info->calls_lost | info->logs_unread | info->attaches_refused |
		       info->threads_uncounted | info->killed_within) == 0;
}

static void print_named(const struct report *report)
{
	const struct recording *recording = report->recording;
	bool is_empty = is_of_nothing(recording);
	if (!is_empty && recording_has_times(recording) && report->options.by == REPORT_BY_ENTRY) {
		screen_print(report);
		if (report->options.is_brief)
			return;
		printer_text(report->out, "\n");
	}
	print_header(report);
	if (is_empty) {
		printer_text(report->out, ": nothing was recorded\n");
		return;
	}
	printer_text(report->out, "\n\n");
	report_sums(report);
	printer_text(report->out, "\n");
	if (!recording_has_times(recording)) {
		report_threads(report);
		return;
	}
	print_losses(report);
	if (report->options.by != REPORT_BY_REGION)
		report_work(report);
}

void report_text(const struct report *report)
{
	struct short_names *names = short_names_create(report->recording, report->symbols);
	struct report named = *report;
	named.names = names;
	print_named(&named);
	short_names_destroy(&names);
}
