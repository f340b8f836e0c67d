/* SPDX-License-Identifier: MIT
 * Order, headings and ends of a report's lists. */
#include <string.h>

#include <stmlog/stmlog.h>

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
	printer_bold(report->out, title);
	printer_format(report->out, " the %zu shown cover %s of the time lost (%s in %s %slosses; evicted: %s", shown,
		number_share(covered_ns, estimate_of_total(recording).ns).text, estimate_text_total(recording).text,
		number_count(recording_total(recording).count).text, is_sampled ? "measured " : "",
		number_count(recording->evicted_count).text);
	if (recording->evicted_count > 0)
		printer_format(
			report->out, " losses, %s", estimate_time(recording, estimate_of_evicted(recording).ns).text);
	printer_text(report->out, ")\n");
}

void report_rest(const struct report *report, size_t rest, const char *how)
{
	if (rest > 0)
		printer_format(report->out, "... %zu more (%s)\n", rest, how);
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

uint64_t report_restarts(const char *line, char word[64])
{
	uint64_t count = 0;
	size_t len = strcspn(line, "="), kept = len < 63 ? len : 63;
	memcpy(word, line, kept);
	word[kept] = '\0';
	number_parse(line + len + (line[len] == '='), &count);
	return count;
}
