/* SPDX-License-Identifier: MIT
 * Looks up the tracebacks of a loss by its origins. */
#include "sides.h"

#include <string.h>

/* In the copy, members that the caller's headers lack are 0. */
static void sides_copy(struct stmlog_loss *loss, const struct stmlog_loss *given)
{
	if (STMLOG_LIKELY(given != NULL && given->size == sizeof *loss)) {
		loss_copy(loss, given);
		return;
	}
	*loss = stmlog_loss_of(STMLOG_SELF_ABORT, STMLOG_NONE, NULL);
	if (given != NULL && sides_have_size(given))
		memcpy(loss, given, given->size < sizeof *loss ? given->size : sizeof *loss);
}

static struct tb_frame *where_it_is(struct stmlog_thread *thread, const void *caller)
{
	const struct tb_site site = tb_address_site(caller);
	struct tb_frame *local = tb_current(thread->stack);
	return local != TB_EMPTY || caller == NULL ? tb_ref(local) : tb_build(thread->stack, &site, 1, TB_EMPTY);
}

static struct tb_frame *find_local(struct stmlog_thread *thread, const struct stmlog_loss *loss, const void *caller)
{
	if (loss->local != NULL)
		return tb_ref(loss->local);
	if (loss->own == 0)
		return where_it_is(thread, caller);
	struct tb_frame *local = origin_frames(&thread->origins, thread->stack, loss->own);
	if (local == TB_UNKNOWN)
		thread_count_unavailable_traceback(thread);
	return local;
}

/* Whether the runtime tells that an abort has no other transaction. */
static bool is_alone(const struct stmlog_loss *given)
{
	if (given == NULL || !sides_have_size(given) || given->cause.contention != STMLOG_NONE)
		return false;
	return given->cause.reason == STMLOG_SELF_ABORT || given->cause.reason == STMLOG_USER_ABORT;
}

static void find_other(struct stmlog_thread *thread, struct sides *sides, bool has_nobody)
{
	struct stmlog_loss *loss = &sides->loss;
	struct stmlog_origin_parts parts;
	loss->remote = has_nobody && loss->other == 0 ? TB_EMPTY : TB_UNKNOWN;
	bool is_known = stmlog_origin_read(loss->other, &parts);
	loss->remote_thread = parts.thread;
	if (!is_known)
		loss->grade = STMLOG_GRADE_UNKNOWN;
	else if (loss->grade != STMLOG_GRADE_CANDIDATE)
		loss->grade = STMLOG_GRADE_CERTAIN;
	if (parts.traceback == &parts.copy)
		loss->remote = tb_copy_build(&parts.copy, thread->stack);
	else
		sides->to.traceback = parts.traceback;
	sides->to.culprit = origin_culprit(&parts);
	if (parts.traceback == NULL && loss->other != 0)
		thread_count_unavailable_traceback(thread);
}

void sides_find(struct stmlog_thread *thread, const struct stmlog_loss *given, const void *caller, struct sides *sides)
{
	REQUIRES(thread->is_busy);
	sides_copy(&sides->loss, given);
	sides->to = (struct lost_to){NULL, {NULL, 0}};
	sides->loss.local = find_local(thread, &sides->loss, caller);
	if (sides->loss.remote == NULL)
		find_other(thread, sides, is_alone(given));
	else
		tb_ref(sides->loss.remote);
}

void sides_release(struct stmlog_thread *thread, struct sides *sides)
{
	tb_unref(thread->stack, sides->loss.local);
	if (sides->loss.remote != TB_UNKNOWN) /* mostly it is, and the call is saved */
		tb_unref(thread->stack, sides->loss.remote);
}
