/* SPDX-License-Identifier: MIT
 * Losses by object. An entry has the numbers of losses of a few objects, but one time for all of them. So its time is
 * divided in proportion to these numbers, and the sums over all objects are those of the recording. */
#ifndef OBJECT_SUMS_H
#define OBJECT_SUMS_H

#include "loss_sums.h"
#include "report.h"

/* The sums by the names of report_object_group(). A sum adds up its parts of the entries' sums; only longest_ns is
 * never divided. Losses whose object is not known are under NAMED_SUM_UNKNOWN, evicted entries under NAMED_SUM_EVICTED.
 * The caller calls named_sums_fini(). */
struct named_sums object_sums(const struct report *report);

#endif
