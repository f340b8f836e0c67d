/* SPDX-License-Identifier: MIT
 *
 * Calls of hooks with the losses that tests need most.
 */
#ifndef TESTS_LOSSES_H
#define TESTS_LOSSES_H

#include <stmlog/agent.h>

/* The program asks for the abort. */
static inline void abort_asked(struct stmlog_thread *thread, const char *word)
{
	const struct stmlog_loss loss = stmlog_loss_of(STMLOG_USER_ABORT, STMLOG_NONE, word);
	stmlog_abort(thread, &loss);
}

/* The thread's write of the object meets that of the transaction with the origin `other`. */
static inline struct stmlog_loss loss_over_write(
	enum stmlog_reason reason, uintptr_t object, uint64_t other, const char *word)
{
	struct stmlog_loss loss = stmlog_loss_of(reason, STMLOG_WRITE_WRITE, word);
	loss.object = object;
	loss.other = other;
	return loss;
}

static inline void abort_over_write(struct stmlog_thread *thread, uintptr_t object, uint64_t other, const char *word)
{
	const struct stmlog_loss loss = loss_over_write(STMLOG_SELF_ABORT, object, other, word);
	stmlog_abort(thread, &loss);
}

static inline void pause_over_write(struct stmlog_thread *thread, uintptr_t object, uint64_t other, const char *word)
{
	const struct stmlog_loss loss = loss_over_write(STMLOG_PAUSE, object, other, word);
	stmlog_wait_begin(thread, &loss);
}

/* The thread waits for a free segment, or for the inevitable transaction with this origin. */
static inline void wait_for_segment(struct stmlog_thread *thread)
{
	const struct stmlog_loss loss = stmlog_loss_of(STMLOG_WAIT, STMLOG_NONE, NULL);
	stmlog_wait_begin(thread, &loss);
}

static inline void wait_for_inevitable(struct stmlog_thread *thread, uint64_t other, const char *word)
{
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_WAIT, STMLOG_INEVITABLE, word);
	loss.other = other;
	stmlog_wait_begin(thread, &loss);
}

/* The transaction that has aborted is blocked. */
static inline void wait_blocked(struct stmlog_thread *thread)
{
	const struct stmlog_loss loss = stmlog_loss_of(STMLOG_BLOCKED, STMLOG_NONE, NULL);
	stmlog_wait_begin(thread, &loss);
}

/* Closes the calling thread's own handle, if it is open. */
static inline void close_own(void)
{
	struct stmlog_thread *own = stmlog_thread_self();
	stmlog_thread_close(&own);
}

#endif
