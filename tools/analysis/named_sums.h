/* SPDX-License-Identifier: MIT
 * Losses added up by name, for outputs in which rows of the same text must be one row. */
#ifndef NAMED_SUMS_H
#define NAMED_SUMS_H

#include "dictionary.h"
#include "tally.h"

/* The kinds of rows: with a name, without one, and the evicted entries. */
enum { NAMED_SUM, NAMED_SUM_UNKNOWN, NAMED_SUM_EVICTED };

/* Invariant: a row with key[0] == NAMED_SUM has the name names[key[1]]; key[0] is one of the three. */
struct named_sums {
	struct tally tally;
	struct dictionary dictionary;
	const char **names;
};

/* Room for `max` calls of named_sums_add(). */
struct named_sums named_sums_make(const struct recording *recording, size_t max);
void named_sums_fini(struct named_sums *sums);

/* `name` is used only if `kind` is NAMED_SUM. */
void named_sums_add(struct named_sums *sums, int kind, const char *name, const struct tally_sum *sum);

/* The row's name, or "unknown" or "(evicted)". Borrowed. */
const char *named_sums_name(const struct named_sums *sums, const struct tally_row *row);

#endif
