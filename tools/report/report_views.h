/* SPDX-License-Identifier: MIT
 * The whole text report, and its parts that are of other keys than entries, or of the timeline's tasks and regions. */
#ifndef REPORT_VIEWS_H
#define REPORT_VIEWS_H

#include "report.h"

/* Prints the whole report: if it is by entry, first the screen, and no more if it is brief; then a header, the sums,
 * the losses by the key, the threads, and tasks and regions. */
void report_text(const struct report *report);

/* Tables of the losses of each place, object, thread, cause and pair of places. */
void report_sites(const struct report *report);
void report_by_object(const struct report *report);
void report_by_thread(const struct report *report);
void report_causes(const struct report *report);
void report_pairs(const struct report *report);

/* The processes of the run, with what each has lost. */
void report_by_process(const struct report *report);

/* All time by call path, as a tree. Requires that the recording has paths: otherwise only the losses have places. */
void report_paths(const struct report *report);

/* Tasks and regions, if the program has reported any. */
void report_work(const struct report *report);

/* The same in place of losses, and how much the regions of each tag differ; or that the program has reported none. */
void report_by_region(const struct report *report);

/* How often transactions commit and abort, by the place where they begin and by the callers in which they differ. */
void report_by_transaction(const struct report *report);

#endif
