/* SPDX-License-Identifier: MIT
 * The frames of a traceback, and their texts in a report. */
#ifndef REPORT_FRAMES_H
#define REPORT_FRAMES_H

#include "report.h"

/* The frames, including inlined functions, innermost first; borrowed from the symbols. The caller calls
 * memory_free(at). */
struct report_frames {
	const struct symbol_frame **at;
	size_t len;
};
struct report_frames report_frames_of(const struct report *report, const struct recording_traceback *traceback);

/* Removes the frames of a language's run-time system, which are not the user's code, and in Haskell those without a
 * name; removes nothing if there are no other frames. */
void report_frames_without_runtime(struct report_frames *frames);

/* The number of frames without the startup code at the outer end; all, if there are no other frames. */
size_t report_frames_without_startup(const struct report_frames *frames);

/* The function's name, "transfer". If it is not known, "bank+0x1234", in the buffer. */
enum { REPORT_FUNCTION = 320 };
const char *report_function_of(const struct symbol_frame *frame, char buffer[REPORT_FUNCTION]);

/* The same without arguments and template arguments, unless the report is full or several functions would get the same
 * name. May contain any bytes. Free it with memory_free(). */
char *report_name_of(const struct report *report, const struct symbol_frame *frame);

/* "bank.c:61 transfer"; may contain any bytes. Free it with memory_free(). */
char *report_spot_of(const struct report *report, const struct symbol_frame *frame);

/* "bank.c:61"; NULL: not known. Free it with memory_free(). */
char *report_line_of(const struct report *report, const struct symbol_frame *frame);

#endif
