/* SPDX-License-Identifier: MIT
 * Losses by object. An entry has the number of losses of a few objects, but no times of these. So its time is divided
 * in proportion to these numbers, and the sums over all objects are those of the recording. */
#ifndef OBJECT_SUMS_H
#define OBJECT_SUMS_H

#include "named_sums.h"
#include "report.h"

/* By the names of report_object_group(). Each sum has parts of entries' sums, but the whole longest_ns. Losses whose
 * object is not known are under NAMED_SUM_UNKNOWN. Call named_sums_fini(). */
struct named_sums object_sums(const struct report *report);

#endif
