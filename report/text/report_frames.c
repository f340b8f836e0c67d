/* SPDX-License-Identifier: MIT
 * Chooses the frames of a traceback that a report shows, and makes their texts. */
#include "report_frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report_memory.h"
#include "short_name.h"

struct report_frames report_frames_of(const struct report *report, const struct recording_traceback *traceback)
{
	struct report_frames frames = {NULL, 0};
	size_t max = 0;
	for (size_t i = 0; i < traceback->len; i++)
		max += symbols_site(report->symbols, traceback->sites[i])->len;
	frames.at = memory_zeroed(max, sizeof *frames.at);
	for (size_t i = 0; i < traceback->len; i++) {
		const struct symbol_site *site = symbols_site(report->symbols, traceback->sites[i]);
		for (size_t k = 0; k < site->len; k++)
			frames.at[frames.len++] = &site->frames[k];
	}
	return frames;
}

/* Whether the code belongs to GHC's run-time system: its names begin with "stg_" and end with "_info". */
static bool is_haskell_runtime(const struct symbol_frame *frame)
{
	static const char begin[] = "stg_", end[] = "_info";
	size_t len = frame->function != NULL ? strlen(frame->function) : 0;
	return frame->file == NULL && len >= sizeof begin + sizeof end &&
	       memcmp(frame->function, begin, sizeof begin - 1) == 0 &&
	       strcmp(frame->function + len + 1 - sizeof end, end) == 0;
}

static bool is_of_haskell_source(const struct symbol_frame *frame)
{
	size_t len = frame->file != NULL ? strlen(frame->file) : 0;
	return len > 3 && strcmp(frame->file + len - 3, ".hs") == 0;
}

/* GHC gives no symbols to local functions of libraries. */
static bool is_nameless(const struct symbol_frame *frame)
{
	return frame->function == NULL && frame->file == NULL;
}

void report_frames_without_runtime(struct report_frames *frames)
{
	size_t len = 0;
	bool is_haskell = false;
	for (size_t i = 0; i < frames->len; i++)
		is_haskell |= is_of_haskell_source(frames->at[i]);
	for (size_t i = 0; i < frames->len; i++) {
		if (!is_haskell_runtime(frames->at[i]) && !(is_haskell && is_nameless(frames->at[i])))
			frames->at[len++] = frames->at[i];
	}
	if (len > 0)
		frames->len = len;
}

size_t report_frames_without_startup(const struct report_frames *frames)
{
	size_t len = frames->len;
	while (len > 0 && symbol_is_startup(frames->at[len - 1]))
		len--;
	return len > 0 ? len : frames->len;
}

const char *report_function_of(const struct symbol_frame *frame, char buffer[REPORT_FUNCTION])
{
	if (frame->function != NULL)
		return frame->function;
	if (frame->module != NULL && frame->module[0] != '\0')
		snprintf(buffer, REPORT_FUNCTION, "%s+0x%" PRIx64, symbol_basename(frame->module), frame->offset);
	else
		snprintf(buffer, REPORT_FUNCTION, "0x%" PRIx64, frame->offset);
	return buffer;
}

char *report_line_of(const struct report *report, const struct symbol_frame *frame)
{
	if (frame->file == NULL)
		return NULL;
	const char *file = report->options.is_full ? frame->file : symbol_basename(frame->file);
	return symbol_position(file, frame->line, frame->last_line);
}

char *report_name_of(const struct report *report, const struct symbol_frame *frame)
{
	char buffer[REPORT_FUNCTION];
	const char *name = report_function_of(frame, buffer);
	bool is_whole = report->options.is_full || short_names_is_shared(report->names, frame);
	return is_whole ? memory_text(name) : short_name(name);
}

char *report_spot_of(const struct report *report, const struct symbol_frame *frame)
{
	char *name = report_name_of(report, frame), *line = report_line_of(report, frame);
	char *text = line != NULL ? memory_format("%s %s", line, name) : memory_text(name);
	memory_free(name);
	memory_free(line);
	return text;
}
