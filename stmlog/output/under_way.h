/* SPDX-License-Identifier: MIT
 * The file's section OPEN: the transaction, pause or wait that is under way on each thread. */
#ifndef STMLOG_UNDER_WAY_H
#define STMLOG_UNDER_WAY_H

#include "buffer.h"
#include "intern.h"

/* Appends a record for each transaction or wait that has been under way for a millisecond, 64 at most, the longest
 * first. Takes the registry's lock, and calls the runtimes' callbacks. */
void under_way_record(struct intern *intern, struct buffer *records);

#endif
