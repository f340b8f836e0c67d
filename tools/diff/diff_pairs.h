/* SPDX-License-Identifier: MIT
 * Sums of keys by pairs of functions. The loss of one pair moves between causes and lines from run to run, so its sum
 * varies less than each key does. */
#ifndef DIFF_PAIRS_H
#define DIFF_PAIRS_H

#include "diff.h"

/* Makes the pairs from the rows of keys. The key of a pair is that of one of its rows. */
void diff_pairs_make(struct diff *diff);

/* The function of the innermost frame; "unknown" if it has none. Borrowed from the traceback. */
const char *diff_pairs_function(const struct diff_traceback *traceback);

#endif
