/* SPDX-License-Identifier: MIT
 * Losses added up by a name, whatever bytes that has: where what is told apart by text alone must be one. */
#ifndef NAMED_SUMS_H
#define NAMED_SUMS_H

#include "dictionary.h"
#include "tally.h"

/* The keys of rows: those with a name; what has none; and what was evicted, of which nothing is known. */
enum { NAMED_SUM, NAMED_SUM_UNKNOWN, NAMED_SUM_EVICTED };

/* Invariant: a row with key[0] == NAMED_SUM has the name names[key[1]]; key[0] is one of the three. */
struct named_sums {
	struct tally tally;
	struct dictionary dictionary;
	const char **names;
};

/* Room for `most` calls of named_sums_add(). */
struct named_sums named_sums_make(size_t most);
void named_sums_fini(struct named_sums *sums);

/* Of the three `kind`s only NAMED_SUM has a name. */
void named_sums_add(struct named_sums *sums, int kind, const char *name, const struct tally_sum *sum);

/* "unknown" or "(evicted)" for those without. Borrowed. */
const char *named_sums_name(const struct named_sums *sums, const struct tally_row *row);

#endif
