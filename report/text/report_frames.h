/* SPDX-License-Identifier: MIT
 * The frames of a traceback, and how a report shows one. */
#ifndef REPORT_FRAMES_H
#define REPORT_FRAMES_H

#include "report.h"

/* Inlined functions included, innermost first; borrowed from the symbols. Call memory_free(at). */
struct report_frames {
	const struct symbol_frame **at;
	size_t len;
};
struct report_frames report_frames_of(const struct report *report, const struct recording_traceback *traceback);

/* Takes out the frames of a language's run-time system, which nobody has written; none, if there is nothing else. */
void report_frames_without_runtime(struct report_frames *frames);

/* How many frames are left when the startup code at the outer end is taken off; all, if there is nothing else. */
size_t report_frames_without_startup(const struct report_frames *frames);

/* "transfer"; if the function is not known, "bank+0x1234", in the buffer. */
enum { REPORT_FUNCTION = 320 };
const char *report_function_of(const struct symbol_frame *frame, char buffer[REPORT_FUNCTION]);

/* The same without arguments and template arguments, if that tells functions apart; not in a full report. May contain
 * any bytes. Free it with memory_free(). */
char *report_name_of(const struct report *report, const struct symbol_frame *frame);

/* "bank.c:61 transfer"; may contain any bytes. Free it with memory_free(). */
char *report_spot_of(const struct report *report, const struct symbol_frame *frame);

/* Where the file of the frame lies, as far as that is known. NULL: it has none. Free it with memory_free(). */
char *report_path_of(const struct symbol_frame *frame);

/* "bank.c:61"; NULL: not known. Free it with memory_free(). */
char *report_line_of(const struct report *report, const struct symbol_frame *frame);

#endif
