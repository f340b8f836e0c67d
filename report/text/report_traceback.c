/* SPDX-License-Identifier: MIT
 * Prints tracebacks as text. Unless the report is full, only the first few frames are shown, and frames of the C
 * library below main() and below a thread's function are left out. */
#include "number.h"
#include "report_frames.h"
#include "report_memory.h"
#include "utf8.h"

enum { GLANCE = 5, LABEL_WIDTH = 12, WIDEST_LINE = 24 };

/* The widest "file:line" of the frames. Very long ones are ignored, because they would push the names too far to the
 * right. */
static size_t widest(const struct report *report, const struct report_frames *frames, size_t len)
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
static void print_frame(const struct report *report, const struct symbol_frame *frame, size_t width)
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

static void print_frames(const struct report *report, const struct report_frames *frames, size_t shown)
{
	size_t width = widest(report, frames, shown);
	for (size_t i = 0; i < shown; i++) {
		if (i > 0)
			printer_format(report->out, "     %*s", LABEL_WIDTH, "");
		print_frame(report, frames->at[i], width);
	}
}

void report_traceback(const struct report *report, const char *label, uint32_t reference)
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
	print_frames(report, &frames, shown);
	if (shown < len)
		printer_format(report->out, "     %*s... %zu more\n", LABEL_WIDTH, "", len - shown);
	if (traceback.left_out != 0 && shown == len)
		printer_format(report->out, "     %*s... %s more, left out\n", LABEL_WIDTH, "",
			number_count(traceback.left_out).text);
	else if (traceback.is_cut && shown == len)
		printer_format(report->out, "     %*s... and further ones that were not recorded\n", LABEL_WIDTH, "");
	memory_free(frames.at);
}
