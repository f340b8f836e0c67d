/* SPDX-License-Identifier: MIT
 * The parts of the text report that tell of single places. */
#ifndef STMLOG_REPORT_PARTS_H
#define STMLOG_REPORT_PARTS_H

#include "out.h"
#include "timelog.h"

/* Lost time: what was measured, or, where not all was, the estimate of what all transactions lost. */
uint64_t report_lost_ns(const struct stmlog_cost *cost);
void report_show_lost(struct out *out, const struct stmlog_cost *cost);

/* "7 times", of those measured. */
void report_show_times(struct out *out, uint64_t count);

/* As many entries of the log as the option `top` says, costliest first. */
void report_show_entries(struct out *out, struct stmlog_timelog *log);

/* What an entry's losses were about: objects, and what of them is false. */
void report_show_objects(struct out *out, const struct stmlog_entry *entry);

/* Who aborts whom, by place: the few pairs that cost most. */
void report_show_pairs(struct out *out, struct stmlog_timelog *log);

/* A site by its name, or by what it is known by. */
void report_show_site(struct out *out, struct tb_site site);

#endif
