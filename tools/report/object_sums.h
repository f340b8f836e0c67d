/* SPDX-License-Identifier: MIT
 * Losses by what was fought over. An entry knows how many of its losses were about each of a few objects, and no times
 * of these: its time is shared out by their number, so that sums over all objects are those of the recording. */
#ifndef OBJECT_SUMS_H
#define OBJECT_SUMS_H

#include "named_sums.h"
#include "report.h"

/* By report_object_group(). Sums are parts of entries' sums but for longest_ns, which is the entries' own. What is
 * known of no object is NAMED_SUM_UNKNOWN. The caller calls named_sums_fini(). */
struct named_sums object_sums(const struct report *report);

#endif
