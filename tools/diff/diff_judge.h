/* SPDX-License-Identifier: MIT
 * Verdicts: which rows of a comparison differ, and whether for the worse. */
#ifndef DIFF_JUDGE_H
#define DIFF_JUDGE_H

#include "diff.h"

/* Sets medians, the test and its p from the values of a row, and the other members that follow from these. */
void diff_row_fill(const struct diff *diff, struct diff_row *row);

/* How much greater the new median is. */
double diff_more(const struct diff_row *row);

/* Sets weights, corrected p and verdicts of all rows, and the counts of *diff. Requires that the rows are filled, and
 * that each key has a value that is not 0. */
void diff_judge(struct diff *diff);

#endif
