/* SPDX-License-Identifier: MIT
 * A stream in the form in which it is replayed: everything that can be computed before the replay is computed. */
#ifndef ITM_REPLAY_STEPS_H
#define ITM_REPLAY_STEPS_H

#include "barriers.h"
#include "gap.h"
#include "recorded.h"
#include "targets.h"

/* The sizes that have barriers of their own, as STEPS_SIZES(X): X(bytes, type). */
#define STEPS_SIZES(X) X(1, uint8_t) X(2, uint16_t) X(4, uint32_t) X(8, uint64_t)

enum step_action {
	STEP_BEGIN,
#define X(bytes, type) STEP_READ_##bytes, STEP_WRITE_##bytes,
	STEPS_SIZES(X)
#undef X
		STEP_READ_COPY,
	STEP_WRITE_COPY,
	STEP_ALONE, /* become irrevocable */
	STEP_COMMIT,
	STEP_CANCEL,
};

struct step {
	char *target;
	barriers_function barrier; /* of a read or write */
	uint64_t wait_ticks;       /* the gap before it (gap.h) */
	uint32_t spin_iterations;
	uint16_t size; /* of a copy, bytes; of BEGIN, libitm's properties */
	uint16_t action;
};

/* The steps of a stream, one for each record; freed by the caller. NULL: no memory. Requires barriers_init(). */
struct step *steps_create(
	const struct recorded_stream *stream, const struct targets *targets, const struct gap_scale *scale);

/* ---- perform.c ---- */

/* The largest access. */
enum { PERFORM_BYTES_MAX = UINT16_MAX };

/* The state of one thread of the replay. */
struct performer {
	uint64_t commits;
	uint64_t attempts;       /* not those in hardware that the processor aborts: it takes the count back, too */
	const struct step *next; /* the step after the transaction that has ended */
	const atomic_bool *is_over;
	char buffer[PERFORM_BYTES_MAX]; /* the other side of copies */
};

/* Makes the transaction that begins with this step, and sets `next`. Does not wait before it. Requires
 * barriers_init(). */
void perform_transaction(struct performer *performer, const struct step *begin);

/* Makes a transaction without accesses, by which libitm gets to know the thread. */
void perform_nothing(void);

#endif
