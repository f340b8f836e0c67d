/* SPDX-License-Identifier: MIT
 * Prints the costliest entries, with the tracebacks of both sides. Unless the report is full, only the first few frames
 * of a traceback are shown, and frames of the C library below main() and below a thread's function are left out. */
#include <inttypes.h>
#include <string.h>

#include <stmlog/read.h>

#include "estimate.h"
#include "number.h"
#include "report.h"
#include "report_memory.h"
#include "utf8.h"

/* ---- tracebacks ---- */

enum { GLANCE = 5, LABEL_WIDTH = 12, WIDEST_LINE = 24 };

/* The widest "file:line" of the frames. Very long ones are ignored, because they would push the names too far to the
 * right. */
static size_t widest_line(const struct report *report, const struct report_frames *frames, size_t len)
{
	size_t max = 0;
	for (size_t i = 0; i < len; i++) {
		char *line = utf8_cleaned(report_line_of(report, frames->at[i]));
		size_t width = line != NULL ? fit_width(line) : 0;
		max = width <= WIDEST_LINE && width > max ? width : max;
		memory_free(line);
	}
	return max;
}

/* A function without a line is not indented like the others. */
static void print_traceback_frame(const struct report *report, const struct symbol_frame *frame, size_t width)
{
	char *name = report_name_of(report, frame), *line = utf8_cleaned(report_line_of(report, frame));
	if (line != NULL) {
		size_t used = fit_width(line);
		printer_place(report->out, line);
		printer_spaces(report->out, (used < width ? width - used : 0) + 2);
	}
	printer_name(report->out, name);
	printer_text(report->out, "\n");
	memory_free(line);
	memory_free(name);
}

static void print_traceback_frames(const struct report *report, const struct report_frames *frames, size_t shown)
{
	size_t width = widest_line(report, frames, shown);
	for (size_t i = 0; i < shown; i++) {
		if (i > 0)
			printer_format(report->out, "     %*s", LABEL_WIDTH, "");
		print_traceback_frame(report, frames->at[i], width);
	}
}

/* Prints a traceback as lines of function and place; the first stands behind `label`, the others under it. */
static void report_traceback(const struct report *report, const char *label, uint32_t reference)
{
	struct recording_traceback traceback = recording_traceback(report->recording, reference);
	printer_format(report->out, "     %-*s", LABEL_WIDTH, label);
	if (traceback.len == 0) {
		printer_text(report->out, traceback.is_known ? "no frames\n" : "unknown\n");
		return;
	}
	struct report_frames frames = report_frames_of(report, &traceback);
	if (!report->options.is_full)
		report_frames_without_runtime(&frames);
	size_t len = report->options.is_full ? frames.len : report_frames_without_startup(&frames);
	size_t shown = report->options.is_full || len <= GLANCE ? len : GLANCE;
	print_traceback_frames(report, &frames, shown);
	if (shown < len)
		printer_format(report->out, "     %*s... %zu more\n", LABEL_WIDTH, "", len - shown);
	if (traceback.left_out != 0 && shown == len)
		printer_format(report->out, "     %*s... %s more, left out\n", LABEL_WIDTH, "",
			number_count(traceback.left_out).text);
	else if (traceback.is_cut && shown == len)
		printer_format(report->out, "     %*s... and further ones that were not recorded\n", LABEL_WIDTH, "");
	memory_free(frames.at);
}

/* ---- an entry ---- */

/* "thread 5 (Haskell 17)" */
static void print_thread(const struct report *report, uint32_t thread, uint16_t green)
{
	char *name = report_green(report, green);
	printer_format(report->out, "thread %" PRIu32 "%s", thread, name);
	memory_free(name);
}

static void print_cause(const struct report *report, const struct stmlog_entry_record *entry)
{
	printer_text(report->out, "   ");
	printer_marked(report->out, PRINTER_CAUSE, stmlog_reason_name(entry->reason));
	printer_format(report->out, ", %s", stmlog_contention_name(entry->contention));
	const char *detail = recording_string(report->recording, entry->detail);
	if (detail[0] != '\0') {
		printer_text(report->out, ", ");
		printer_name(report->out, detail);
	}
	if (report_is_estimated_wait(report, entry))
		printer_text(report->out, ", estimated");
	if (entry->local_thread != 0) {
		printer_text(report->out, "   ");
		print_thread(report, entry->local_thread, entry->local_green);
	}
}

/* Prints how many aborts were in vain: their culprit was aborted as well, so nobody gained from them. */
static void print_wasted(const struct report *report, const struct stmlog_entry_record *entry)
{
	if (entry->wasted > 0)
		printer_format(report->out, "     for nothing %s of %s (their culprit was aborted as well)\n",
			number_count(entry->wasted).text, number_count(entry->count).text);
}

/* Prints the call that made the other transaction irrevocable, before the places, because it says why all others had to
 * wait. */
static void print_unsafe_call(const struct report *report, const struct stmlog_entry_record *entry)
{
	const struct symbol_frame *call = report_unsafe_call(report, entry);
	char *line = call != NULL ? report_line_of(report, call) : NULL;
	if (call == NULL)
		return;
	printer_text(report->out, "                 calls ");
	printer_name(report->out, call->function);
	if (line != NULL) {
		printer_text(report->out, ", ");
		printer_place(report->out, line);
	}
	printer_text(report->out, "\n");
	memory_free(line);
}

/* The label of the other side. The program ends an attempt itself after a spurious wake: then the other transaction has
 * not blocked it, but woken it. */
static const char *role_of(const struct stmlog_entry_record *entry)
{
	return entry->reason == STMLOG_USER_ABORT ? "woken by" : "blocked by";
}

/* An abort without a known cause has an unknown traceback there; where no other transaction was in the way, it is known
 * and empty. */
static void print_absent_culprit(const struct report *report, const struct stmlog_entry_record *entry)
{
	if (entry->reason != STMLOG_SELF_ABORT)
		return;
	bool is_nobody = recording_traceback(report->recording, entry->remote).is_known;
	printer_format(report->out, "     blocked by  %s\n",
		is_nobody ? "nobody: no other transaction was in its way" : "unknown: the runtime gave no cause");
}

static void print_culprit(const struct report *report, const struct stmlog_entry_record *entry)
{
	bool is_anybody = recording_traceback(report->recording, entry->remote).len > 0 || entry->remote_thread != 0;
	if (entry->contention == STMLOG_NONE && !is_anybody) {
		print_absent_culprit(report, entry);
		return;
	}
	if (entry->remote_thread == 0 && entry->grade == STMLOG_GRADE_UNKNOWN) {
		report_traceback(report, role_of(entry), entry->remote);
		return;
	}
	printer_text(report->out, "     ");
	printer_marked(report->out, PRINTER_CULPRIT, role_of(entry));
	printer_spaces(report->out, strlen("blocked by") + 2 - strlen(role_of(entry)));
	if (entry->remote_thread != 0) {
		print_thread(report, entry->remote_thread, entry->remote_green);
		printer_text(report->out, ", ");
	}
	if (entry->certain > 0 && entry->certain < entry->count)
		printer_format(report->out, "certain %s\n", number_share(entry->certain, entry->count).text);
	else
		printer_format(report->out, "%s\n", stmlog_grade_name(entry->grade));
	print_unsafe_call(report, entry);
	report_traceback(report, "", entry->remote);
}

/* Time off the processor is not part of the lost time. */
static void print_descheduled(const struct report *report, const struct stmlog_entry_record *entry)
{
	struct tally_sum sum = tally_sum_of(entry);
	struct estimate all = estimate_of(report->recording, &sum);
	if (entry->descheduled_ns == 0)
		return;
	all.ns += entry->descheduled_ns;
	printer_format(report->out, "     in all      %s, of that descheduled: %s (not counted as lost)\n",
		estimate_point(&all).text, number_time(entry->descheduled_ns).text);
}

static void print_entry(const struct report *report, const struct stmlog_entry_record *entry, size_t rank)
{
	struct tally_sum sum = tally_sum_of(entry);
	printer_format(report->out, "\n%2zu.  ", rank);
	printer_marked(report->out, PRINTER_LOSS, estimate_text(report->recording, &sum).text);
	printer_format(report->out, "  %s  %s %s%s, longest %s", estimate_share(report->recording, &sum).text,
		number_count(entry->count).text, report_times(entry->count),
		recording_is_sampled(report->recording) ? " measured" : "", number_time(entry->longest_ns).text);
	print_cause(report, entry);
	printer_text(report->out, "\n");
	report_traceback(report, "where", entry->local);
	print_culprit(report, entry);
	print_wasted(report, entry);
	print_descheduled(report, entry);
	report_objects(report, entry);
}

void report_entries(const struct report *report)
{
	static const char *const titles[] = {"Costliest:", "Most frequent:", "Longest:"};
	struct tally sorted = report_sorted(report);
	size_t shown = report_shown(report, &sorted);
	report_heading(report, titles[report->options.sort], &sorted, shown);
	for (size_t i = 0; i < shown; i++)
		print_entry(report, &report->recording->entries[sorted.rows[i]->key[0]], i + 1);
	if (shown > 0 && tally_known(&sorted, report->options.sort) < sorted.len)
		printer_text(report->out, "\n");
	report_too_few(report, &sorted, "entry", "entries");
	tally_drop(&sorted);
}

/* ---- a line each ---- */

/* The innermost frame of a traceback, as file, line and function. */
static char *entry_spot(const struct report *report, uint32_t reference)
{
	char *spot = report_innermost(report, reference);
	return spot != NULL ? spot : memory_text("unknown");
}

/* " 1.  1.67 s  45.6 %  12 times  bank.c:61 transfer, because of bank.c:85 audit" */
static void print_briefly(const struct report *report, const struct stmlog_entry_record *entry, size_t rank)
{
	struct tally_sum sum = tally_sum_of(entry);
	char *local = entry_spot(report, entry->local), *remote = entry_spot(report, entry->remote);
	bool is_alone = entry->contention == STMLOG_NONE;
	char *line = memory_format("%2zu.  %s  %s  %s %s%s  %s%s%s", rank, estimate_text(report->recording, &sum).text,
		estimate_share(report->recording, &sum).text, number_count(entry->count).text,
		report_times(entry->count), recording_is_sampled(report->recording) ? " measured" : "", local,
		is_alone ? "" : ", because of ", is_alone ? "" : remote);
	printer_format(report->out, "%s\n", cut_name(line, fit_limit(report->out->width)));
	memory_free(line);
	memory_free(remote);
	memory_free(local);
}

void report_entries_briefly(const struct report *report, size_t lines)
{
	struct tally sorted = report_sorted(report);
	size_t shown = report_shown(report, &sorted);
	if (shown > 0 && lines > 1)
		printer_bold(report->out, "Costliest\n");
	for (size_t i = 0; i < shown && i + 1 < lines; i++)
		print_briefly(report, &report->recording->entries[sorted.rows[i]->key[0]], i + 1);
	tally_drop(&sorted);
}
