/* SPDX-License-Identifier: MIT
 * The file's sections PATHS, TRANSACTIONS and BLOCKED: the rows of spent.h, merged over all threads. */
#ifndef STMLOG_RECORD_SPENT_H
#define STMLOG_RECORD_SPENT_H

#include "buffer.h"
#include "intern.h"
#include "spent.h"

/* Append one record for each traceback, and for each site. All change the rows of `spent`. */
void record_paths(struct spent *spent, struct intern *intern, struct buffer *paths);
void record_transactions(struct spent *spent, struct intern *intern, struct buffer *transactions);
void record_blocked(struct spent *spent, struct intern *intern, struct buffer *blocked);

#endif
