/* SPDX-License-Identifier: MIT
 * What the command prints beside the report that it shares with the library: views of the losses by what they have in
 * common, and what a timeline tells. */
#ifndef REPORT_VIEWS_H
#define REPORT_VIEWS_H

#include "report.h"

void report_text(const struct report *report);

/* Tables of what each place, object, thread and cause has lost; who lost to whom, and who made others lose. */
void report_sites(const struct report *report);
void report_by_object(const struct report *report);
void report_by_thread(const struct report *report);
void report_causes(const struct report *report);
void report_pairs(const struct report *report);

/* How many attempts transactions take, and what those that fail cost; nothing where that was not recorded. */
void report_transactions(const struct report *report);

/* Tasks and regions, where the program has reported any. */
void report_work(const struct report *report);

#endif
