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

/* Adds what was lost: "lost_ns" and its interval, and "measured_ns". */
void report_json_estimate(json_t *object, const struct estimate *estimate);
void report_json_lost(json_t *object, const struct recording *recording, const struct tally_sum *sum);

/* Adds what a sum has: "count", what was lost, "longest_ns", "overstated_ns" and "wasted". */
void report_json_sum(const struct report *report, json_t *object, const struct tally_sum *sum);

/* Of what was measured; there is no estimate. */
json_t *report_json_wasted(const struct recording *recording, uint64_t count, uint64_t lost_ns);

/* {"function", "file", "line", "module", "offset"} */
json_t *report_json_frame(const struct symbol_frame *frame);

/* {"known", "frames"}, and "cut" where it is. */
json_t *report_json_traceback(const struct report *report, uint32_t reference);

/* A frame, and "known". A place that is none is told from a function of that name by that, and by having no file and no
 * module. */
json_t *report_json_place(const struct places *places, uint32_t place);

/* The objects of an entry and what the others touched: addresses, and what they are called. */
json_t *report_json_objects(const struct report *report, const struct stmlog_entry_record *entry);

/* "htm", how many, and {"attempts", "aborts", "by_cause", "fallbacks", "may_bind_lazily"}: null where not known. */
json_t *report_json_method(const struct recording_info *info);
json_t *report_json_processors(const struct recording_info *info);
json_t *report_json_hardware(const struct report *report);

/* ---- writing ---- */

/* Each writes a value and drops it: alone; as a member of the report's object, behind a comma. */
void report_json_value(const struct report *report, json_t *value);
void report_json_member(const struct report *report, const char *name, json_t *value);

/* Begins a member that is an array, behind a comma; the caller writes its end. And writes the i-th element, which gets
 * a line, and drops the value. */
void report_json_array(const struct report *report, const char *name);
void report_json_element(const struct report *report, size_t i, json_t *value);

/* Members that are arrays, each behind a comma: "pairs", "aggressors" and "sites"; "objects"; "by_thread"; and
 * "transactions". */
void report_json_losses(const struct report *report);
void report_json_objects_fought_over(const struct report *report);
void report_json_by_thread(const struct report *report);
void report_json_transactions(const struct report *report);

/* Sums of the program's tasks and regions, where there are any; null where its timeline cannot be. */
void report_json_work(const struct report *report);

#endif
