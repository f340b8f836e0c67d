/* SPDX-License-Identifier: MIT
 * The JSON report, and its pieces. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <jansson.h>

#include "estimate.h"
#include "report.h"

/* One object, a line per member, thread, entry, pair and aggressor. */
void report_json(const struct report *report);

/* ---- values ---- */

/* Add "lost_ns" with its interval, and "measured_ns"; of a sum also "too_few": its interval says nothing. */
void report_json_estimate(json_t *object, const struct estimate *estimate);
void report_json_lost(json_t *object, const struct recording *recording, const struct tally_sum *sum);

/* Adds "count", the lost time, "longest_ns", "descheduled_ns" and "wasted". */
void report_json_sum(const struct report *report, json_t *object, const struct tally_sum *sum);

/* Measured only; there is no estimate. */
json_t *report_json_wasted(const struct recording *recording, uint64_t count, uint64_t lost_ns);

/* {"function", "short", "file", "line", "module", "offset"}; short: the name in reports without --full */
json_t *report_json_frame(const struct symbol_frame *frame);

/* The same; `name` stands for the function where there is no frame (NULL). */
json_t *report_json_frame_or(const struct symbol_frame *frame, const char *name);

/* Adds "begin", where the transaction of the traceback begins, if that is none of its frames. */
void report_json_begin(const struct report *report, json_t *object, uint32_t reference);

/* {"known", "frames"}, "begin" as above, "cut" where it is, and "left_out" where frames of the recording are. */
json_t *report_json_traceback(const struct report *report, uint32_t reference);

/* A frame, and "known". The two places without a frame have their name for a function, and neither file nor module. */
json_t *report_json_place(const struct places *places, uint32_t place);

/* The same; NULL for the frame: `place` is one of the two. */
json_t *report_json_place_of(const struct symbol_frame *frame, uint32_t place);

/* The objects of an entry and the objects that the others touched: their addresses and names. */
json_t *report_json_objects(const struct report *report, const struct stmlog_entry_record *entry);

/* {"id", "label"}, each may be null. NULL becomes null: not known. */
json_t *report_json_green(const struct stmlog_green_record *green);

/* "htm"; a number; {"commits", "fallbacks"}. null: not known. */
json_t *report_json_method(const struct recording_info *info);
json_t *report_json_processors(const struct recording_info *info);
json_t *report_json_hardware(const struct recording_info *info);

/* {"snapshot", "signal"}: how the program stood when the file was written; signal: null, or what ended it. */
json_t *report_json_ending(const struct recording_info *info);

/* ---- writing ---- */

/* Write a value and release it: alone; or as a member of the report's object, after a comma. */
void report_json_value(const struct report *report, json_t *value);
void report_json_member(const struct report *report, const char *name, json_t *value);

/* The first begins a member that is an array, after a comma; the caller writes "]". The second writes the i-th element
 * on a line of its own and releases the value. */
void report_json_array(const struct report *report, const char *name);
void report_json_element(const struct report *report, size_t i, json_t *value);

/* Write members that are arrays, each after a comma: "processes"; "warnings", "rows" and, no arrays, "other_rows" and
 * "wakes"; "pairs", "aggressors" and "sites"; "objects"; "labels"; "by_thread"; "haskell_threads"; "transactions";
 * "by_transaction"; and "blocked". */
void report_json_processes(const struct report *report);
void report_json_rows(const struct report *report);
void report_json_losses(const struct report *report);
void report_json_objects_fought_over(const struct report *report);
void report_json_labels(const struct report *report);
void report_json_by_thread(const struct report *report);
void report_json_haskell_threads(const struct report *report);
void report_json_transactions(const struct report *report);
void report_json_callers(const struct report *report);
void report_json_blocked(const struct report *report);

#endif
