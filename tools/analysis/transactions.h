/* SPDX-License-Identifier: MIT
 * The distributions of a recording by the place where transactions begin: sites of one name are one. */
#ifndef TRANSACTIONS_H
#define TRANSACTIONS_H

#include "place.h"
#include "recording.h"
#include "tally.h"

/* record.site means nothing here: several may have become one. */
struct transactions_row {
	uint32_t place; /* PLACE_UNKNOWN: of unknown sites, or without room of their own */
	struct stmlog_transaction_record record;
};

/* Invariant: no two rows have one place. */
struct transactions {
	struct transactions_row *rows;
	size_t len;
};

/* Those first that lost most time, or most attempts, or most time in one transaction; equals as the file has them. */
struct transactions transactions_make(const struct recording *recording, struct places *places, enum tally_sort sort);
void transactions_fini(struct transactions *transactions);

/* Adds all of a record to another one's, but for their sites. */
void transactions_add(struct stmlog_transaction_record *into, const struct stmlog_transaction_record *from);

/* What people ask of a distribution. */
struct transactions_summary {
	uint64_t median;
	uint64_t p99;
	uint64_t most;
};
struct transactions_summary transactions_attempts(const struct stmlog_transaction_record *record);
struct transactions_summary transactions_lost_ns(const struct stmlog_transaction_record *record);

#endif
