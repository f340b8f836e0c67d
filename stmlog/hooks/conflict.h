/* SPDX-License-Identifier: MIT
 *
 * The conflict that the attempt under way has found: the tracebacks of both sides, kept until the
 * runtime reports what follows from it (an abort, a pause, or that the other transaction must abort).
 */
#ifndef STMLOG_CONFLICT_H
#define STMLOG_CONFLICT_H

#include "thread.h"

/* Finds the tracebacks of both sides, and keeps them in thread->conflict. `local`: the traceback of this side, if the
 * runtime knows it, borrowed; NULL: by the table of causes. */
void conflict_find(struct stmlog_thread *thread, enum stmlog_conflict kind, struct tb_frame *local, uintptr_t object,
	struct stmlog_other other, const char *word);

/* Adds what is known of both objects. Looks for the other transaction's write of its object, if no write was found. */
void conflict_add_overlap(struct stmlog_thread *thread, enum stmlog_overlap overlap, uintptr_t other_object);

/* Whether the conflict belongs to the attempt under way. */
static inline bool conflict_is_current(const struct stmlog_thread *thread)
{
	return thread->conflict.attempt == attempts_current(&thread->attempts) && thread->conflict.attempt != 0;
}

/* Releases its reference to the local traceback. */
void conflict_forget(struct stmlog_thread *thread);

/* The culprit as a group keeps it. */
struct culprit conflict_culprit(struct stmlog_other other);

/* The other transaction of the loss, by its origin; 0: it is not known. Returns its traceback; NULL: unknown. */
const struct tb_copy *conflict_read_origin(uint64_t origin, struct stmlog_loss *loss);

/* Leaves a message for the other transaction, before the runtime makes it abort. */
void conflict_write_message(struct stmlog_thread *thread);

/* The loss of this thread's attempt, aborted by another one: from the message or, without one (NULL), from the
 * runtime's arguments. */
struct stmlog_loss conflict_read_message(struct stmlog_thread *thread, const struct message *message,
	enum stmlog_contention_kind contention, const char *word);

#endif
