/* SPDX-License-Identifier: MIT
 * The file's section ACCESSES: a copy of the streams that runtimes share. */
#ifndef STMLOG_ACCESSES_H
#define STMLOG_ACCESSES_H

#include "buffer.h"

/* Appends the records of all streams, each after a record of kind THREAD. Appends nothing if no stream has a record.
 */
void accesses_record(struct buffer *records);

#endif
