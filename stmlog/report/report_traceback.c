/* SPDX-License-Identifier: MIT
 * Tracebacks as text. The machinery below main() and below a thread's own function is left out, and what does not
 * fit a glance, unless everything was asked for. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "report.h"

enum { GLANCE = 5, LABEL_WIDTH = 12, WIDEST_FUNCTION = 32 };

/* The frames of a traceback, inlined functions included; borrowed from the symbols. */
struct frames {
	const struct symbol_frame **at;
	size_t len;
};

static struct frames collect(const struct report *report, const struct recording_traceback *traceback)
{
	struct frames frames = {NULL, 0};
	for (size_t i = 0; i < traceback->len; i++)
		frames.len += symbols_site(report->symbols, traceback->sites[i])->len;
	frames.at = calloc(frames.len + 1, sizeof *frames.at);
	if (frames.at == NULL)
		frames.len = 0;
	size_t used = 0;
	for (size_t i = 0; i < traceback->len && frames.len > 0; i++) {
		const struct symbol_site *site = symbols_site(report->symbols, traceback->sites[i]);
		for (size_t k = 0; k < site->len; k++)
			frames.at[used++] = &site->frames[k];
	}
	return frames;
}

/* How many frames are left when the startup code at the outer end is taken off; all, if that is everything. */
static size_t without_startup(const struct frames *frames)
{
	size_t len = frames->len;
	while (len > 0 && symbol_is_startup(frames->at[len - 1]))
		len--;
	return len > 0 ? len : frames->len;
}

static const char *frame_name(const struct symbol_frame *frame, char *buffer, size_t size)
{
	if (frame->function != NULL)
		return frame->function;
	if (frame->module != NULL && frame->module[0] != '\0')
		snprintf(buffer, size, "%s+0x%" PRIx64, symbol_basename(frame->module), frame->offset);
	else
		snprintf(buffer, size, "0x%" PRIx64, frame->offset);
	return buffer;
}

/* "bank.c:61"; NULL where it is not known. */
static char *frame_line(const struct report *report, const struct symbol_frame *frame)
{
	if (frame->file == NULL)
		return NULL;
	const char *file = report->options.is_full ? frame->file : symbol_basename(frame->file);
	return frame->line != 0 ? memory_format("%s:%" PRIu32, file, frame->line) : memory_text(file);
}

char *report_frame(const struct report *report, const struct symbol_frame *frame)
{
	char buffer[320];
	const char *name = frame_name(frame, buffer, sizeof buffer);
	char *line = frame_line(report, frame);
	char *text = line != NULL ? memory_format("%s %s", name, line) : memory_text(name);
	free(line);
	return text;
}

static int widest(const struct frames *frames, size_t len)
{
	size_t most = 0;
	for (size_t i = 0; i < len; i++) {
		char buffer[320];
		size_t width = strlen(frame_name(frames->at[i], buffer, sizeof buffer));
		if (width <= WIDEST_FUNCTION && width > most)
			most = width;
	}
	return (int)most;
}

static void print_frame(const struct report *report, const struct symbol_frame *frame, int width)
{
	char buffer[320];
	const char *name = frame_name(frame, buffer, sizeof buffer);
	char *line = frame_line(report, frame);
	report_name(report, name);
	if (line != NULL) {
		int gap = width - (int)strlen(name);
		fprintf(report->out, "%*s  ", gap > 0 ? gap : 0, "");
		report_name(report, line);
	}
	fputc('\n', report->out);
	free(line);
}

static void print_frames(const struct report *report, const struct frames *frames, size_t shown)
{
	int width = widest(frames, shown);
	for (size_t i = 0; i < shown; i++) {
		if (i > 0)
			fprintf(report->out, "     %*s", LABEL_WIDTH, "");
		print_frame(report, frames->at[i], width);
	}
}

void report_traceback(const struct report *report, const char *label, uint32_t reference)
{
	struct recording_traceback traceback = recording_traceback(report->recording, reference);
	fprintf(report->out, "     %-*s", LABEL_WIDTH, label);
	if (traceback.len == 0) {
		fputs(traceback.is_known ? "no frames\n" : "unknown\n", report->out);
		return;
	}
	struct frames frames = collect(report, &traceback);
	size_t len = report->options.is_full ? frames.len : without_startup(&frames);
	size_t shown = report->options.is_full || len <= GLANCE ? len : GLANCE;
	print_frames(report, &frames, shown);
	if (shown < len)
		fprintf(report->out, "     %*s... %zu more\n", LABEL_WIDTH, "", len - shown);
	if (traceback.is_cut && shown == len)
		fprintf(report->out, "     %*s... and further ones that were not recorded\n", LABEL_WIDTH, "");
	free(frames.at);
}

/* ---- allocations, in one line ---- */

enum { ALLOCATION_GLANCE = 3 };

/* The C++ library's templates have become part of the program; its files still tell. */
static bool is_allocator(const struct symbol_frame *frame)
{
	static const char *const libraries[] = {"libitm.so", "libstdc++.so", "libc.so"};
	if (frame->file != NULL && strstr(frame->file, "/include/c++/") != NULL)
		return true;
	const char *name = frame->module != NULL ? symbol_basename(frame->module) : "";
	for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
		if (strncmp(name, libraries[i], strlen(libraries[i])) == 0)
			return true;
	}
	return false;
}

/* `text` is consumed. */
static char *with_frame(const struct report *report, char *text, const struct symbol_frame *frame)
{
	char *name = report_frame(report, frame);
	char *longer = text != NULL ? memory_format("%s < %s", text, name) : memory_text(name);
	free(text);
	free(name);
	return longer;
}

char *report_allocation(const struct report *report, uint32_t reference)
{
	struct recording_traceback traceback = recording_traceback(report->recording, reference);
	struct frames frames = collect(report, &traceback);
	size_t end = without_startup(&frames), first = 0;
	char *text = NULL;
	while (first < end && is_allocator(frames.at[first]))
		first++;
	if (first == end)
		first = 0;
	size_t most = report->options.is_full ? end : first + ALLOCATION_GLANCE;
	for (size_t i = first; i < end && i < most; i++)
		text = with_frame(report, text, frames.at[i]);
	free(frames.at);
	return text;
}
