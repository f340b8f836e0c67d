/* SPDX-License-Identifier: MIT
 * PATHS and TRANSACTIONS of a recording. */
#ifndef STMLOG_RECORD_SPENT_H
#define STMLOG_RECORD_SPENT_H

#include "buffer.h"
#include "intern.h"
#include "spent.h"

/* One record for each traceback, and for each site. Changes the rows of `spent`. */
void record_paths(struct spent *spent, struct intern *intern, struct buffer *paths);
void record_transactions(struct spent *spent, struct intern *intern, struct buffer *transactions);

#endif
