/* SPDX-License-Identifier: MIT
 * Adds the figures of one record to another, whose key does not change. The library adds records of several threads,
 * and the command those of several recordings, or of several sites at one place. */
#ifndef RECORD_SUMS_H
#define RECORD_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include <stmlog/format.h>

void numbers_add(uint64_t *sums, const uint64_t *more, size_t len);
void path_record_add(struct stmlog_path_record *sum, const struct stmlog_path_record *more);
void blocked_record_add(struct stmlog_blocked_record *sum, const struct stmlog_blocked_record *more);
void transaction_record_add(struct stmlog_transaction_record *sum, const struct stmlog_transaction_record *more);

#endif
