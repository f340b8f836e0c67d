/* SPDX-License-Identifier: MIT
 * The pieces of the JSON report. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <jansson.h>

#include "report.h"

/* {"function", "file", "line", "module", "offset"} */
json_t *report_json_frame(const struct symbol_frame *frame);

/* {"known", "frames"}, and "cut" where it is. */
json_t *report_json_traceback(const struct report *report, uint32_t reference);

/* The objects of an entry and what the others touched: addresses, and what they are called. */
json_t *report_json_objects(const struct report *report, const struct stmlog_entry_record *entry);

/* {"function", "file", "line", "module", "offset"} */
json_t *report_json_frame(const struct symbol_frame *frame);

/* Adds what was lost: "lost_ns" and its interval, and "measured_ns". */
void report_json_lost(json_t *object, const struct recording *recording, const struct tally_sum *sum);

/* Of what was measured; there is no estimate. */
json_t *report_json_wasted(const struct recording *recording, uint64_t count, uint64_t lost_ns);

/* Writes a value and drops it. */
void report_json_value(const struct report *report, json_t *value);

/* In front of the i-th of an array, which gets a line. */
void report_json_separator(const struct report *report, size_t i);

/* The members "pairs" and "aggressors", each behind a comma. */
void report_json_losses(const struct report *report);

/* Writes a member of the report's object, behind a comma, and drops the value. */
typedef void report_json_member(const struct report *report, const char *name, json_t *value);

/* Sums of the program's tasks and regions, where there are any; null where its timeline cannot be. */
void report_json_work(const struct report *report, report_json_member *write_member);

#endif
