/* SPDX-License-Identifier: MIT
 * The pieces of the JSON report. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <jansson.h>

#include "report.h"

/* {"known", "frames"}, and "cut" where it is. */
json_t *report_json_traceback(const struct report *report, uint32_t reference);

/* The objects of an entry and what the others touched: addresses, and what they are called. */
json_t *report_json_objects(const struct report *report, const struct stmlog_entry_record *entry);

#endif
