/* SPDX-License-Identifier: MIT
 * The entries: what cost most, where, and to whom. */
#include <inttypes.h>

#include <stmlog/stmlog.h>

#include "cause.h"
#include "estimate.h"
#include "number.h"
#include "report.h"

struct tally report_sorted(const struct report *report)
{
	struct tally sorted = tally_make(report->recording->entry_count);
	for (size_t i = 0; i < report->recording->entry_count; i++) {
		struct tally_sum sum = tally_sum_of(&report->recording->entries[i]);
		tally_add(&sorted, i, 0, &sum);
	}
	tally_group(&sorted, report->options.sort);
	return sorted;
}

size_t report_shown(const struct report *report, const struct tally *tally)
{
	return tally->len < report->options.top ? tally->len : report->options.top;
}

void report_heading(const struct report *report, const char *title, const struct tally *tally, size_t shown)
{
	const struct recording *recording = report->recording;
	bool is_sampled = recording_is_sampled(recording);
	uint64_t covered_ns = 0;
	for (size_t i = 0; i < shown; i++) {
		struct tally_sum sum = tally->rows[i].sum;
		covered_ns += estimate_of(recording, &sum).ns - sum.overstated_ns;
	}
	report_bold(report, title);
	fprintf(report->out, " the %zu shown cover %s of the time lost (%s in %s %slosses; evicted: %s", shown,
		number_share(covered_ns, estimate_of_total(recording).ns).text, estimate_text_total(recording).text,
		number_count(recording_total(recording).count).text, is_sampled ? "measured " : "",
		number_count(recording->evicted_count).text);
	if (recording->evicted_count > 0)
		fprintf(report->out, " losses, %s", estimate_time(recording, estimate_of_evicted(recording).ns).text);
	fputs(")\n", report->out);
}

bool report_is_estimated_wait(const struct report *report, const struct stmlog_entry_record *entry)
{
	bool is_wait = entry->reason == STMLOG_PAUSE || entry->reason == STMLOG_WAIT;
	return is_wait && report->recording->info.waits_estimated != 0;
}

static void print_cause(const struct report *report, const struct stmlog_entry_record *entry)
{
	fprintf(report->out, "   %s, %s", cause_reason_name(entry->reason), cause_contention_name(entry->contention));
	const char *detail = recording_string(report->recording, entry->detail);
	if (detail[0] != '\0') {
		fputs(", ", report->out);
		report_name(report, detail);
	}
	if (report_is_estimated_wait(report, entry))
		fputs(", estimated", report->out);
	if (entry->local_thread != 0)
		fprintf(report->out, "   thread %" PRIu32, entry->local_thread);
}

const char *report_times(uint64_t count)
{
	return count == 1 ? "time" : "times";
}

/* What those gained who made it lose: nothing, in these cases. */
static void print_wasted(const struct report *report, const struct stmlog_entry_record *entry)
{
	if (entry->wasted > 0)
		fprintf(report->out, "     for nothing %s of %s (their culprit was aborted as well)\n",
			number_count(entry->wasted).text, number_count(entry->count).text);
}

/* Where no other transaction is involved nobody is to blame, and nothing is said. */
static void print_culprit(const struct report *report, const struct stmlog_entry_record *entry)
{
	bool is_anybody = recording_traceback(report->recording, entry->remote).len > 0 || entry->remote_thread != 0;
	if (entry->contention == STMLOG_NONE && !is_anybody) {
		if (entry->reason == STMLOG_SELF_ABORT)
			fputs("     blocked by  nobody: no other transaction was in its way\n", report->out);
		return;
	}
	if (entry->remote_thread == 0 && entry->grade == STMLOG_GRADE_UNKNOWN) {
		report_traceback(report, "blocked by", entry->remote);
		return;
	}
	fprintf(report->out, "     blocked by  ");
	if (entry->remote_thread != 0)
		fprintf(report->out, "thread %" PRIu32 ", ", entry->remote_thread);
	if (entry->certain > 0 && entry->certain < entry->count)
		fprintf(report->out, "certain %s\n", number_share(entry->certain, entry->count).text);
	else
		fprintf(report->out, "%s\n", cause_grade_name(entry->grade));
	report_traceback(report, "", entry->remote);
}

static void print_entry(const struct report *report, const struct stmlog_entry_record *entry, size_t rank)
{
	struct tally_sum sum = tally_sum_of(entry);
	fprintf(report->out, "\n%2zu.  %s  %s  %s %s%s, longest %s", rank, estimate_text(report->recording, &sum).text,
		estimate_share(report->recording, &sum).text, number_count(entry->count).text,
		report_times(entry->count), recording_is_sampled(report->recording) ? " measured" : "",
		number_time(entry->longest_ns).text);
	if (entry->overstated_ns > 0)
		fprintf(report->out, ", too high by up to %s", number_time(entry->overstated_ns).text);
	print_cause(report, entry);
	fputc('\n', report->out);
	report_traceback(report, "where", entry->local);
	print_culprit(report, entry);
	print_wasted(report, entry);
	report_objects(report, entry);
}

void report_entries(const struct report *report)
{
	static const char *const titles[] = {"Costliest:", "Most frequent:", "Longest:"};
	struct tally sorted = report_sorted(report);
	size_t shown = report_shown(report, &sorted);
	report_heading(report, titles[report->options.sort], &sorted, shown);
	for (size_t i = 0; i < shown; i++)
		print_entry(report, &report->recording->entries[sorted.rows[i].key[0]], i + 1);
	tally_drop(&sorted);
}
