/* SPDX-License-Identifier: MIT
 * The regions of two sides of runs, by tag: work, time and speed. */
#ifndef DIFF_REGIONS_H
#define DIFF_REGIONS_H

#include "diff.h"

/* Adds the regions of a run, which is number `run` of its side, from 0 on. If its timeline contradicts itself, prints
 * so and adds none. The path is for this message only. */
void diff_regions_add(struct diff *diff, int side, size_t run, const struct recording *recording, const char *path);

/* Makes the rows of all tags, once all runs are loaded. diff_judge() needs them; it gives the verdicts. */
void diff_regions_make(struct diff *diff);

/* Sorts the tags: those that are worse first, then those of the most time, then by name. */
void diff_regions_sort(struct diff *diff);

void diff_regions_fini(struct diff *diff);

#endif
