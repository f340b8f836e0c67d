/* SPDX-License-Identifier: MIT
 * The entries: what cost most, where, and to whom. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/stmlog.h>

#include "cause.h"
#include "memory.h"
#include "number.h"
#include "report.h"

static uint64_t measure(const struct stmlog_entry_record *entry, enum report_sort sort)
{
	switch (sort) {
	case REPORT_SORT_COUNT:
		return entry->count;
	case REPORT_SORT_LONGEST:
		return entry->longest_ns;
	default:
		return entry->lost_ns;
	}
}

static int compare(const void *a, const void *b, void *sort)
{
	const struct stmlog_entry_record *left = *(const struct stmlog_entry_record *const *)a;
	const struct stmlog_entry_record *right = *(const struct stmlog_entry_record *const *)b;
	uint64_t left_measure = measure(left, *(const enum report_sort *)sort);
	uint64_t right_measure = measure(right, *(const enum report_sort *)sort);
	if (left_measure != right_measure)
		return left_measure > right_measure ? -1 : 1;
	/* Equals in the file's order: both point into one array. */
	return left < right ? -1 : left > right;
}

const struct stmlog_entry_record **report_sorted(const struct report *report)
{
	size_t count = report->recording->entry_count;
	const struct stmlog_entry_record **sorted = memory_zeroed(count, sizeof *sorted);
	for (size_t i = 0; i < count; i++)
		sorted[i] = &report->recording->entries[i];
	enum report_sort sort = report->options.sort;
	qsort_r(sorted, count, sizeof *sorted, compare, &sort);
	return sorted;
}

static void print_heading(const struct report *report, const struct stmlog_entry_record **sorted, size_t shown)
{
	static const char *const words[] = {"Costliest", "Most frequent", "Longest"};
	const struct recording *recording = report->recording;
	struct recording_sum total = recording_total(recording);
	uint64_t covered_ns = 0;
	for (size_t i = 0; i < shown; i++)
		covered_ns += sorted[i]->lost_ns - sorted[i]->overstated_ns;
	char *title = memory_format("%s:", words[report->options.sort]);
	report_bold(report, title);
	free(title);
	fprintf(report->out, " the %zu shown cover %s of the time lost (%s in %s losses; evicted: %s", shown,
		number_share(covered_ns, total.lost_ns).text, number_time(total.lost_ns).text,
		number_count(total.count).text, number_count(recording->evicted_count).text);
	if (recording->evicted_count > 0)
		fprintf(report->out, " losses, %s", number_time(recording->evicted_lost_ns).text);
	if (recording->info.sample_every > 1)
		fprintf(report->out, "; estimated: measured in 1 of %s transactions",
			number_count(recording->info.sample_every).text);
	fputs(")\n", report->out);
}

static void print_cause(const struct report *report, const struct stmlog_entry_record *entry)
{
	fprintf(report->out, "   %s, %s", cause_reason_name(entry->reason), cause_contention_name(entry->contention));
	const char *detail = recording_string(report->recording, entry->detail);
	if (detail[0] != '\0') {
		fputs(", ", report->out);
		report_name(report, detail);
	}
	if (entry->local_thread != 0)
		fprintf(report->out, "   thread %" PRIu32, entry->local_thread);
}

static const char *times(uint64_t count)
{
	return count == 1 ? "time" : "times";
}

/* An object in fewer of the losses than this part says nothing about them: with thousands of accounts some
 * few always come first. */
enum { OBJECTS_PART = 10 };

static bool stands_out(const struct stmlog_entry_record *entry, size_t i)
{
	uint64_t count = entry->objects[i].count;
	return entry->objects[i].address != 0 && count >= entry->count / OBJECTS_PART && count > 0;
}

/* The runtime's own name comes first; next what the symbols say lies there; the caller frees it. */
static char *object_name(const struct report *report, const struct stmlog_entry_record *entry, size_t i)
{
	const char *given = recording_string(report->recording, entry->object_names[i]);
	if (given[0] != '\0')
		return memory_text(given);
	char *symbol = symbols_object(report->symbols, entry->objects[i].address);
	return symbol != NULL ? symbol : memory_format("0x%" PRIx64, entry->objects[i].address);
}

static void print_objects(const struct report *report, const struct stmlog_entry_record *entry)
{
	const char *before = "     object      ";
	for (size_t i = 0; i < sizeof entry->objects / sizeof entry->objects[0]; i++) {
		if (!stands_out(entry, i))
			continue;
		char *name = object_name(report, entry, i);
		fputs(before, report->out);
		report_name(report, name);
		fprintf(report->out, " (at least %s %s)", number_count(entry->objects[i].count).text,
			times(entry->objects[i].count));
		free(name);
		before = ", ";
	}
	if (before[0] == ',')
		fputc('\n', report->out);
	if (entry->false_conflicts > 0)
		fprintf(report->out, "     %s of these conflicts are false: they touch different data\n",
			number_count(entry->false_conflicts).text);
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
	if (entry->contention == STMLOG_NONE && !is_anybody)
		return;
	if (entry->remote_thread == 0 && entry->grade == STMLOG_GRADE_UNKNOWN) {
		report_traceback(report, "blocked by", entry->remote);
		return;
	}
	fprintf(report->out, "     blocked by  ");
	if (entry->remote_thread != 0)
		fprintf(report->out, "thread %" PRIu32 ", ", entry->remote_thread);
	fprintf(report->out, "%s\n", cause_grade_name(entry->grade));
	report_traceback(report, "", entry->remote);
}

static void print_entry(
	const struct report *report, const struct stmlog_entry_record *entry, size_t rank, uint64_t lost_ns)
{
	fprintf(report->out, "\n%2zu.  %s  %s  %s %s, longest %s", rank, number_time(entry->lost_ns).text,
		number_share(entry->lost_ns, lost_ns).text, number_count(entry->count).text, times(entry->count),
		number_time(entry->longest_ns).text);
	if (entry->overstated_ns > 0)
		fprintf(report->out, ", too high by up to %s", number_time(entry->overstated_ns).text);
	print_cause(report, entry);
	fputc('\n', report->out);
	report_traceback(report, "where", entry->local);
	print_culprit(report, entry);
	print_wasted(report, entry);
	print_objects(report, entry);
}

void report_entries(const struct report *report)
{
	size_t count = report->recording->entry_count;
	size_t shown = count < report->options.top ? count : report->options.top;
	const struct stmlog_entry_record **sorted = report_sorted(report);
	uint64_t lost_ns = recording_total(report->recording).lost_ns;
	print_heading(report, sorted, shown);
	for (size_t i = 0; i < shown; i++)
		print_entry(report, sorted[i], i + 1, lost_ns);
	free(sorted);
}
