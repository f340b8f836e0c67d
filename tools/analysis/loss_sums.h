/* SPDX-License-Identifier: MIT
 * All that was lost, added up by what lost it. What was evicted is a row of its own, so that sums over all rows are
 * those of the recording. */
#ifndef LOSS_SUMS_H
#define LOSS_SUMS_H

#include "place.h"
#include "tally.h"

/* What was evicted, as a sum. */
struct tally_sum loss_sums_evicted(const struct recording *recording);

/* One row for each place that lost: key[0], or LOSS_SUMS_EVICTED. `parts` is to how many different places, unknown ones
 * not among them. The caller drops it. */
#define LOSS_SUMS_EVICTED UINT64_MAX
struct tally loss_sums_by_site(const struct recording *recording, struct places *places, enum tally_sort sort);

/* What a thread has lost, and what others are known to have lost because of it. An entry knows two threads only, those
 * of its longest loss: what is said of others is exact as long as these are all. */
struct loss_sums_thread {
	const struct stmlog_thread_record *thread;
	struct tally_sum sum;  /* of its own account: nothing is missing; no variance is known */
	uint32_t place;        /* where the costliest of these entries was lost; */
	uint64_t place_ns;     /* how much; 0: there is none */
	uint64_t led_count;    /* of entries whose longest loss another thread had because of it: all losses; */
	uint64_t led_ns;       /* their time; */
	uint64_t led_least_ns; /* and of that the longest losses, which were because of it for certain */
};

/* One row for each record of a thread: as the file has them, but sorted. The caller frees them. */
struct loss_sums_thread *loss_sums_by_thread(
	const struct recording *recording, struct places *places, enum tally_sort sort);

#endif
