/* SPDX-License-Identifier: MIT
 *
 * When two transactions meet: what this one keeps of the other until it is known what
 * comes of it (an abort, a pause, a letter to the other one).
 */
#ifndef STMLOG_MET_H
#define STMLOG_MET_H

#include "thread.h"

/* Finds out where both are, or were, and keeps it in thread->met. */
void met_find(struct stmlog_thread *thread, enum stmlog_conflict conflict, uintptr_t object, struct stmlog_other other,
	const char *word);

/* Whether what was met belongs to the attempt that the thread is in. */
static inline bool met_is_valid(const struct stmlog_thread *thread)
{
	return thread->met.attempt == attempts_current(&thread->attempts) && thread->met.attempt != 0;
}

/* Releases what it refers to. */
void met_forget(struct stmlog_thread *thread);

/* As a group keeps it. */
struct culprit met_culprit(struct stmlog_other other);

/* Leaves a letter for the other one: this thread is about to make it abort. */
void met_write_letter(struct stmlog_thread *thread);

/* What a letter, or without one (NULL) the runtime itself, says about the abort of this thread's attempt. */
struct stmlog_loss met_read_letter(
	struct stmlog_thread *thread, const struct letter *letter, enum stmlog_contention contention, const char *word);

#endif
