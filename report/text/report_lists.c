/* SPDX-License-Identifier: MIT
 * Sorts a report's lists, and prints their headings and ends. */

#include <stmlog/read.h>

#include "estimate.h"
#include "number.h"
#include "report.h"
#include "report_memory.h"

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
