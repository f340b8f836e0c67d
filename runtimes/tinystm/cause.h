/* SPDX-License-Identifier: MIT
 *
 * Why an attempt failed. TinySTM does not tell its callbacks; but it counts aborts by
 * reason, so whichever counter has moved since the abort before names it. Some reasons
 * have no counter that can be read by name; they are told from what else is known.
 */
#ifndef TINY_CAUSE_H
#define TINY_CAUSE_H

#include <stdbool.h>

#include <stmlog/stmlog.h>

enum tiny_reason {
	TINY_WW_CONFLICT, /* the ones that are counted by name; the most frequent first, for they are looked up in turn
			   */
	TINY_VALIDATE_READ,
	TINY_VALIDATE_COMMIT,
	TINY_VALIDATE_WRITE,
	TINY_WR_CONFLICT,
	TINY_KILLED,
	TINY_INVALID_MEMORY,
	TINY_COUNTED, /* how many */

	TINY_RW_CONFLICT = TINY_COUNTED,
	TINY_EXTEND_WS,
	TINY_IRREVOCABLE,
	TINY_ASKED,     /* the program called for an abort, or asked to be irrevocable and had to start over */
	TINY_UNCOUNTED, /* one of those without a counter */
	TINY_UNKNOWN,   /* any: TinySTM keeps no counters */
	TINY_REASONS
};

/* One thread's, as they were when the abort before was over. */
struct tiny_counts {
	bool are_kept; /* TinySTM was built to count */
	unsigned by_reason[TINY_COUNTED];
	unsigned write_set_size;
};

/* What the callbacks have seen of the attempt that failed. */
struct tiny_attempt {
	bool has_met;       /* a conflict was called out */
	bool is_committing; /* the commit had begun */
	bool tells_met;     /* TinySTM calls out every conflict over a lock */
};

/* Reads them for the first time. The calling thread has its descriptor. */
void tiny_counts_open(struct tiny_counts *counts);

/* The reason of the abort that is just over; counts it as seen. */
enum tiny_reason tiny_reason(struct tiny_counts *counts, const struct tiny_attempt *attempt);

struct stmlog_cause tiny_cause(enum tiny_reason reason);

/* The conflict that was called out last is what made an attempt with this reason fail. `kills`: TinySTM's
 * contention manager may also have called out one, earlier, that it won. */
bool tiny_is_of_met(enum tiny_reason reason, bool kills);

#endif
