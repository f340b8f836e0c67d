/* SPDX-License-Identifier: MIT
 *
 * What the callbacks (module.c) find out of an abort: its cause (cause.c), and the place where the thread is (where.c).
 */
#ifndef TINY_H
#define TINY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/read.h>
#include <stmlog/traceback.h>

/* ---- the cause of an abort ----
 *
 * TinySTM does not tell it to callbacks; but it counts aborts by reason, so the reason is the one whose counter has
 * risen since the last abort. Some reasons have no counter that can be read by name; they are inferred from other
 * facts.
 */

enum tiny_reason {
	/* Those with a counter. They are looked up in this order, the most frequent first. */
	TINY_WW_CONFLICT,
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
	TINY_UNCOUNTED, /* a reason without a counter */
	TINY_UNKNOWN,   /* any reason: TinySTM was built without counters */
	TINY_REASONS
};

/* One thread's counters, as they were after its last abort. */
struct tiny_counts {
	bool are_kept; /* TinySTM was built to count */
	unsigned by_reason[TINY_COUNTED];
	unsigned write_set_size;
};

/* What the callbacks know of the attempt that failed. */
struct tiny_attempt {
	bool has_conflict;      /* TinySTM has called the callback for conflicts */
	bool is_committing;     /* the commit had begun */
	bool reports_conflicts; /* TinySTM calls that callback for each conflict over a lock */
};

/* Reads the counters for the first time. TinySTM has counters of each thread that it has initialised. */
void tiny_counts_open(struct tiny_counts *counts);

/* The reason of the abort that has just happened. Updates the counters. */
enum tiny_reason tiny_reason(struct tiny_counts *counts, const struct tiny_attempt *attempt);

struct stmlog_cause tiny_cause(enum tiny_reason reason);

/* Whether an attempt with this reason failed because of the last conflict for which the callback was called. `kills`:
 * the contention manager may abort other transactions; then that conflict may also be one that this attempt had won. */
bool tiny_is_of_conflict(enum tiny_reason reason, bool kills);

/* ---- the place where a thread is ----
 *
 * When TinySTM calls a callback: the thread's shadow stack, if the program uses it; otherwise the machine's stack,
 * unwound by libgcc. Unwinding takes microseconds, so a cache recognises stacks that were unwound before.
 */

#define TINY_DEPTH 32 /* frames of an unwound traceback; frames further out are unknown */

/* For one thread. All zero: closed. Invariant: walk == NULL  <=>  cache == NULL; then there was no memory, and only the
 * shadow stack is used. */
struct tiny_where {
	struct tiny_walk *walk;
	struct native_cache *cache;
	struct tb_frame *loose; /* an unwound traceback that the cache did not take, owned; or NULL */
	size_t size;            /* of the memory that `walk` and the cache are in */
};

/* Requires that it is closed. */
void tiny_where_open(struct tiny_where *where);

/* Releases all frames into `stack`. */
void tiny_where_close(struct tiny_where *where, struct tb_stack *stack);

/* The traceback, from the caller of TinySTM outwards. `slot`: NATIVE_RETURN_SLOT() in the callback. `stack`: the
 * calling thread's own. Borrowed until the next call. */
struct tb_frame *tiny_where(struct tiny_where *where, struct tb_stack *stack, const uintptr_t *slot);

#endif
