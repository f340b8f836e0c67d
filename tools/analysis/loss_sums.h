/* SPDX-License-Identifier: MIT
 * Losses added up by the place or the thread that lost, by name, or by object. Evicted entries are a row of their own,
 * so that the rows add up to the total of the recording. */
#ifndef LOSS_SUMS_H
#define LOSS_SUMS_H

#include "dictionary.h"
#include "tally.h"

/* One row for each place that lost: key[0] is the place, or LOSS_SUMS_EVICTED; `parts` is the number of different
 * places, unknown ones apart, that were in its way. The caller ends it with tally_drop(). */
#define LOSS_SUMS_EVICTED UINT64_MAX
struct tally loss_sums_by_site(const struct recording *recording, struct places *places, enum tally_sort sort);

/* The losses of a thread, and the losses of other threads because of it. The latter are known from entries, which name
 * the two threads of their longest loss only: they are exact if all losses of an entry had the same two threads. */
struct loss_sums_thread {
	const struct stmlog_thread_record *thread;
	struct tally_sum sum; /* its own losses, from its account: complete; `lost` has their interval */
	struct estimate lost;
	uint32_t place;    /* of the costliest entry whose longest loss was this thread's */
	uint64_t place_ns; /* and its time; 0: there is no such entry */
	/* Sums over the entries whose longest loss another thread had because of this thread. */
	uint64_t led_count;
	uint64_t led_ns;
	uint64_t led_min_ns; /* of their longest losses alone, which were certainly because of this thread */
};

/* One row for each thread of the recording, sorted. The caller frees them. */
struct loss_sums_thread *loss_sums_by_thread(
	const struct recording *recording, struct places *places, enum tally_sort sort);

/* ---- by name ---- */

/* For outputs in which rows of the same text must be one row. The kinds of rows: with a name, without one, and the
 * evicted entries. */
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

/* ---- by object ----
 * An entry has the numbers of losses of a few objects, but one time for all of them. So its time is divided in
 * proportion to these numbers, and the sums over all objects are those of the recording. */

struct report;

/* The sums by the names of report_object_group(). A sum adds up its parts of the entries' sums; only longest_ns is
 * never divided. Losses whose object is not known are under NAMED_SUM_UNKNOWN, evicted entries under NAMED_SUM_EVICTED.
 * The caller calls named_sums_fini(). */
struct named_sums object_sums(const struct report *report);

#endif
