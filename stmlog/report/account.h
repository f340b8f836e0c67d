/* SPDX-License-Identifier: MIT
 * Where the time of a thread, or of all threads, went: the columns that every report shows. */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <stdint.h>

#include "records.h"

/* attached_ns == outside + committed + aborted + paused + waiting + other + open, in a recording that is right. */
struct account {
	uint64_t attached_ns;
	uint64_t outside_ns;
	uint64_t committed_ns;
	uint64_t aborted_ns; /* by all contentions */
	uint64_t paused_ns;
	uint64_t waiting_ns; /* for a segment, whatever the reason */
	uint64_t other_ns;
	uint64_t open_ns;
	uint64_t commits; /* measured or not */
	uint64_t aborts;  /* measured or not */
	uint64_t pauses;
	uint64_t waits;
	uint64_t others;
};

/* Aborts of a thread, as measured; and what their time would be had all transactions been measured. */
struct account_aborts {
	uint64_t count;
	uint64_t lost_ns;
	uint64_t estimated_ns;
};
/* Requires a contention that there is. */
struct account_aborts account_aborts(const struct stmlog_thread_record *thread, uint32_t contention);
struct account_aborts account_all_aborts(const struct stmlog_thread_record *thread);

/* What was measured. */
struct account account_of(const struct stmlog_thread_record *thread);
struct account account_total(const struct recording *recording);

/* What it would be had all transactions been measured: the same if they were. Outside is what is left. */
struct account account_estimate(const struct recording *recording, const struct stmlog_thread_record *thread);
struct account account_estimate_total(const struct recording *recording);

/* attached_ns minus all that is accounted for: 0 in a recording that is right. */
int64_t account_residual(const struct account *account);

#endif
