/* SPDX-License-Identifier: MIT
 * The hooks for conflicts between transactions. Nothing here allocates, locks or makes a system call. */
#include <stmlog/runtime.h>

#include "loss.h"
#include "conflict.h"
#include "misuse.h"
#include "loss_events.h"

uint64_t stmlog_attempt_on(const struct stmlog_thread *thread)
{
	return attempts_current(&thread->attempts);
}

static void leave_trail(struct stmlog_thread *thread, uintptr_t object)
{
	trail_leave(&thread->trails, attempts_current(&thread->attempts), stmlog_thread_id(thread), object,
		tb_current(thread->stack));
}

void stmlog_wrote_on(struct stmlog_thread *thread, uintptr_t object)
{
	if (!thread_is_in(thread, ATTEMPT_STATE) || object == 0) {
		misuse_count("stmlog_wrote without an attempt under way, or of object 0");
		return;
	}
	leave_trail(thread, object);
}

void stmlog_wrote_at_on(struct stmlog_thread *thread, uintptr_t object, struct tb_frame *traceback)
{
	if (thread_is_in(thread, ATTEMPT_STATE))
		trail_leave(&thread->trails, attempts_current(&thread->attempts), stmlog_thread_id(thread), object,
			traceback);
	else
		misuse_count("stmlog_wrote_at without an attempt under way");
}

static inline uint64_t make_origin(struct stmlog_thread *thread, struct tb_frame *traceback)
{
	return origin_of(&thread->origins, thread->stack, attempts_current(&thread->attempts), traceback);
}

uint64_t stmlog_origin_at_on(struct stmlog_thread *thread, struct tb_frame *traceback)
{
	return make_origin(thread, traceback);
}

uint64_t stmlog_origin_on(struct stmlog_thread *thread)
{
	if (thread_is_in(thread, ATTEMPT_STATE))
		return make_origin(thread, tb_current(thread->stack));
	misuse_count("stmlog_origin without an attempt under way");
	return 0;
}

uint64_t stmlog_origin_here_on(struct stmlog_thread *thread, struct tb_site site)
{
	if (thread_is_in(thread, ATTEMPT_STATE))
		return origin_at(&thread->origins, thread->stack, attempts_current(&thread->attempts), site);
	misuse_count("stmlog_origin_here without an attempt under way");
	return 0;
}

void stmlog_became_inevitable_on(struct stmlog_thread *thread)
{
	if (!thread_is_in(thread, ATTEMPT_STATE)) {
		misuse_count("stmlog_became_inevitable without an attempt under way");
		return;
	}
	leave_trail(thread, TRAIL_INEVITABLE);
	if (timeline_is_on())
		loss_event_inevitable(thread);
}

void stmlog_contention_at_on(struct stmlog_thread *thread, enum stmlog_conflict conflict, struct tb_frame *local,
	uintptr_t object, struct stmlog_other other, const char *word)
{
	if (!thread_is_in(thread, ATTEMPT_STATE) || (unsigned)conflict >= STMLOG_CONFLICTS) {
		misuse_count("stmlog_contention without an attempt under way, or with a conflict that there is not");
		return;
	}
	conflict_find(thread, conflict, local, object, other, word);
}

void stmlog_contention_on(struct stmlog_thread *thread, enum stmlog_conflict conflict, uintptr_t object,
	struct stmlog_other other, const char *word)
{
	stmlog_contention_at_on(thread, conflict, NULL, object, other, word);
}

/* ---- after a conflict ---- */

static bool has_conflict(const struct stmlog_thread *thread)
{
	return thread_is_in(thread, ATTEMPT_STATE) && conflict_is_current(thread);
}

void stmlog_abort_self_on(struct stmlog_thread *thread)
{
	if (!has_conflict(thread)) {
		misuse_count("stmlog_abort_self without stmlog_contention in the same attempt");
		return;
	}
	struct conflict *conflict = &thread->conflict;
	const struct lost_to to = {&conflict->remote.copy, conflict_culprit(conflict->other)};
	conflict->loss.cause.reason = STMLOG_SELF_ABORT;
	loss_abort(thread, &conflict->loss, &to, 0);
}

void stmlog_abort_other_on(struct stmlog_thread *thread)
{
	if (!has_conflict(thread) || thread->conflict.kind == STMLOG_INEVITABLE_MEETS_SAME) {
		misuse_count("stmlog_abort_other without stmlog_contention, or of an inevitable transaction");
		return;
	}
	conflict_write_letter(thread);
	if (timeline_is_on())
		loss_event_abort_other(thread, &thread->conflict.loss);
}

void stmlog_aborted_by_on(struct stmlog_thread *thread, struct stmlog_other other,
	enum stmlog_contention_kind contention, const char *word)
{
	if (!thread_is_in(thread, ATTEMPT_STATE) || (unsigned)contention > STMLOG_WRITE_READ) {
		misuse_count("stmlog_aborted_by without an attempt under way, or neither write-write nor write-read");
		return;
	}
	const struct letter *letter = inbox_find(&thread->inbox, attempts_current(&thread->attempts), other);
	struct stmlog_loss loss = conflict_read_letter(thread, letter, contention, word);
	struct lost_to to = {NULL, conflict_culprit(other)};
	if (letter != NULL) {
		loss.grade = other.thread != NULL ? STMLOG_GRADE_CERTAIN : STMLOG_GRADE_CANDIDATE;
		to.traceback = &letter->traceback;
		to.culprit = conflict_culprit(letter->from);
	} else if (other.thread == NULL) {
		to.traceback = conflict_read_origin(other.attempt, &loss);
	}
	if (to.traceback == NULL)
		stmlog_count_unavailable_traceback(thread);
	loss_abort(thread, &loss, &to, 0);
}

void stmlog_abort_asked_on(struct stmlog_thread *thread, const char *word)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_USER_ABORT, STMLOG_NONE, word);
	loss.local = tb_current(thread->stack);
	loss.remote = TB_EMPTY; /* not TB_UNKNOWN: there is no other transaction */
	stmlog_abort_on(thread, &loss);
}

/* ---- pauses and waits ---- */

void stmlog_pause_self_on(struct stmlog_thread *thread)
{
	if (!has_conflict(thread)) {
		misuse_count("stmlog_pause_self without stmlog_contention in the same attempt");
		return;
	}
	thread->conflict.loss.cause.reason = STMLOG_PAUSE;
	loss_interrupt(thread, &thread->conflict.loss, &thread->conflict.remote.copy, PAUSED_STATE);
}

void stmlog_wait_inevitable_on(struct stmlog_thread *thread, struct stmlog_other other, const char *word)
{
	if (!thread_may_wait(thread)) {
		misuse_count("stmlog_wait_inevitable within a pause or wait");
		return;
	}
	conflict_find(thread, STMLOG_INEVITABLE_MEETS_SAME, NULL, 0, other, word);
	thread->conflict.loss.cause.reason = STMLOG_WAIT;
	loss_interrupt(thread, &thread->conflict.loss, &thread->conflict.remote.copy, WAITING_INEVITABLE_STATE);
}

void stmlog_wait_segment_on(struct stmlog_thread *thread)
{
	struct stmlog_loss none = stmlog_loss_make(STMLOG_WAIT, STMLOG_NONE, NULL);
	stmlog_wait_begin_on(thread, &none);
}
