/* SPDX-License-Identifier: MIT
 *
 * The conflict that the attempt under way has found: the tracebacks of both sides, kept until the runtime reports the
 * outcome (an abort, a pause, or that the other transaction must abort).
 */
#ifndef STMLOG_CONFLICT_H
#define STMLOG_CONFLICT_H

#include "thread.h"

/* Finds the tracebacks of both sides, and keeps them in thread->conflict. `local`: the traceback of this side, if the
 * runtime knows it, borrowed; NULL: it is found by the table of causes. */
void conflict_find(struct stmlog_thread *thread, enum stmlog_conflict kind, struct tb_frame *local, uintptr_t object,
	struct stmlog_other other, const char *word);

/* Adds the overlap of both objects, and the other object. If no write was found, looks for the other transaction's
 * write of that object. */
void conflict_add_overlap(struct stmlog_thread *thread, enum stmlog_overlap overlap, uintptr_t other_object);

/* Whether the conflict belongs to the attempt under way. */
static inline bool conflict_is_current(const struct stmlog_thread *thread)
{
	return thread->conflict.attempt == attempts_current(&thread->attempts) && thread->conflict.attempt != 0;
}

/* Forgets the conflict, and releases the reference to its local traceback. */
void conflict_forget(struct stmlog_thread *thread);

/* Returns the culprit in the form that groups keep. */
struct culprit conflict_culprit(struct stmlog_other other);

/* Sets the other transaction of the loss, by its origin; 0: not known. Returns the traceback of the origin; NULL:
 * unknown. */
const struct tb_copy *conflict_read_origin(uint64_t origin, struct stmlog_loss *loss);

/* Writes a message for the other transaction, before the runtime makes it abort. */
void conflict_write_message(struct stmlog_thread *thread);

/* Returns the loss of this thread's attempt, which another transaction has aborted: from the message or, if it is NULL,
 * from the runtime's arguments. */
struct stmlog_loss conflict_read_message(struct stmlog_thread *thread, const struct message *message,
	enum stmlog_contention_kind contention, const char *word);

#endif
