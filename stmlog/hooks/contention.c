/* SPDX-License-Identifier: MIT
 * The hooks for conflicts between transactions. No function here allocates or locks, or makes a system call unless the
 * thread was interrupted (off_processor.h). */
#include <stmlog/runtime.h>

#include "conflict.h"
#include "loss.h"

uint64_t stmlog_attempt_on(const struct stmlog_thread *thread)
{
	return attempts_current(&thread->attempts);
}

static inline void leave_trail(struct stmlog_thread *thread, uintptr_t object, struct tb_frame *traceback)
{
	trail_leave(&thread->trails, attempts_current(&thread->attempts), (uint32_t)AO_load(&thread->id), object,
		traceback);
}

void stmlog_wrote_on(struct stmlog_thread *thread, uintptr_t object)
{
	if (!thread_enter(thread))
		return;
	if (thread_is_in(thread, ATTEMPT_STATE) && object != 0)
		leave_trail(thread, object, tb_current(thread->stack));
	else
		thread_misuse(thread, "stmlog_wrote without an attempt under way, or of object 0");
	thread_leave(thread);
}

void stmlog_wrote_at_on(struct stmlog_thread *thread, uintptr_t object, struct tb_frame *traceback)
{
	if (!thread_enter(thread))
		return;
	if (thread_is_in(thread, ATTEMPT_STATE) && object != 0)
		leave_trail(thread, object, traceback);
	else
		thread_misuse(thread, "stmlog_wrote_at without an attempt under way, or of object 0");
	thread_leave(thread);
}

static inline uint64_t make_origin(struct stmlog_thread *thread, struct tb_frame *traceback)
{
	return origin_of(&thread->origins, thread->stack, attempts_current(&thread->attempts), traceback);
}

uint64_t stmlog_origin_at_on(struct stmlog_thread *thread, struct tb_frame *traceback)
{
	if (!thread_enter(thread))
		return 0;
	uint64_t origin = make_origin(thread, traceback);
	thread_leave(thread);
	return origin;
}

uint64_t stmlog_origin_on(struct stmlog_thread *thread)
{
	uint64_t origin = 0;
	if (!thread_enter(thread))
		return 0;
	if (thread_is_in(thread, ATTEMPT_STATE))
		origin = make_origin(thread, tb_current(thread->stack));
	else
		thread_misuse(thread, "stmlog_origin without an attempt under way");
	thread_leave(thread);
	return origin;
}

uint64_t stmlog_origin_here_on(struct stmlog_thread *thread, struct tb_site site)
{
	uint64_t origin = 0;
	if (!thread_enter(thread))
		return 0;
	if (thread_is_in(thread, ATTEMPT_STATE))
		origin = origin_at(&thread->origins, thread->stack, attempts_current(&thread->attempts), site);
	else
		thread_misuse(thread, "stmlog_origin_here without an attempt under way");
	thread_leave(thread);
	return origin;
}

static void become_inevitable(struct stmlog_thread *thread)
{
	leave_trail(thread, TRAIL_INEVITABLE, tb_current(thread->stack));
	if (timeline_is_on())
		loss_event_inevitable(thread);
}

void stmlog_became_inevitable_on(struct stmlog_thread *thread)
{
	if (!thread_enter(thread))
		return;
	if (thread_is_in(thread, ATTEMPT_STATE))
		become_inevitable(thread);
	else
		thread_misuse(thread, "stmlog_became_inevitable without an attempt under way");
	thread_leave(thread);
}

static inline void contend(struct stmlog_thread *thread, enum stmlog_conflict conflict, struct tb_frame *local,
	uintptr_t object, struct stmlog_other other, const char *word)
{
	if (!thread_enter(thread))
		return;
	if (thread_is_in(thread, ATTEMPT_STATE) && (unsigned)conflict < STMLOG_CONFLICTS)
		conflict_find(thread, conflict, local, object, other, word);
	else
		thread_misuse(
			thread, "stmlog_contention without an attempt under way, or with a conflict that there is not");
	thread_leave(thread);
}

void stmlog_contention_on(struct stmlog_thread *thread, enum stmlog_conflict conflict, uintptr_t object,
	struct stmlog_other other, const char *word)
{
	contend(thread, conflict, NULL, object, other, word);
}

void stmlog_contention_at_on(struct stmlog_thread *thread, enum stmlog_conflict conflict, struct tb_frame *local,
	uintptr_t object, struct stmlog_other other, const char *word)
{
	contend(thread, conflict, local, object, other, word);
}

static void contend_from(struct stmlog_thread *thread, enum stmlog_conflict conflict, uint64_t local_origin,
	uintptr_t object, struct stmlog_other other, const char *word)
{
	struct tb_frame *local = origin_frames(&thread->origins, thread->stack, local_origin);
	if (local == TB_UNKNOWN)
		thread_count_unavailable_traceback(thread);
	conflict_find(thread, conflict, local, object, other, word);
	tb_unref(thread->stack, local);
}

void stmlog_contention_from_on(struct stmlog_thread *thread, enum stmlog_conflict conflict, uint64_t local_origin,
	uintptr_t object, struct stmlog_other other, const char *word)
{
	if (!thread_enter(thread))
		return;
	if (thread_is_in(thread, ATTEMPT_STATE) && (unsigned)conflict < STMLOG_CONFLICTS)
		contend_from(thread, conflict, local_origin, object, other, word);
	else
		thread_misuse(
			thread, "stmlog_contention without an attempt under way, or with a conflict that there is not");
	thread_leave(thread);
}

/* ---- after a conflict ---- */

static bool has_conflict(const struct stmlog_thread *thread)
{
	return thread_is_in(thread, ATTEMPT_STATE) && conflict_is_current(thread);
}

void stmlog_contention_overlap_on(struct stmlog_thread *thread, enum stmlog_overlap overlap, uintptr_t other_object)
{
	if (!thread_enter(thread))
		return;
	if (has_conflict(thread) && (unsigned)overlap <= STMLOG_OVERLAP_ALIAS)
		conflict_add_overlap(thread, overlap, other_object);
	else
		thread_misuse(thread,
			"stmlog_contention_overlap without stmlog_contention, or with an overlap that there is not");
	thread_leave(thread);
}

static void abort_self(struct stmlog_thread *thread)
{
	struct conflict *conflict = &thread->conflict;
	const struct lost_to to = {&conflict->remote.copy, conflict_culprit(conflict->other)};
	conflict->loss.cause.reason = STMLOG_SELF_ABORT;
	loss_abort(thread, &conflict->loss, &to, 0);
}

/* Not refused as a mistake: the attempt is over, and its retry follows. */
static __attribute__((cold, noinline)) void abort_without_conflict(struct stmlog_thread *thread)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_NONE, NULL);
	loss.local = tb_current(thread->stack);
	loss_abort(thread, &loss, NULL, 0);
}

void stmlog_abort_self_on(struct stmlog_thread *thread)
{
	if (!thread_enter(thread))
		return;
	if (has_conflict(thread))
		abort_self(thread);
	else if (thread_is_in(thread, ATTEMPT_STATE))
		abort_without_conflict(thread);
	else
		thread_misuse(thread, "stmlog_abort_self without an attempt under way");
	thread_leave(thread);
}

static void abort_other(struct stmlog_thread *thread)
{
	conflict_write_message(thread);
	if (timeline_is_on())
		loss_event_abort_other(thread, &thread->conflict.loss);
}

void stmlog_abort_other_on(struct stmlog_thread *thread)
{
	if (!thread_enter(thread))
		return;
	if (has_conflict(thread) && thread->conflict.kind != STMLOG_INEVITABLE_MEETS_SAME)
		abort_other(thread);
	else
		thread_misuse(thread, "stmlog_abort_other without stmlog_contention, or of an inevitable transaction");
	thread_leave(thread);
}

static void be_aborted(struct stmlog_thread *thread, struct stmlog_other other, enum stmlog_contention_kind contention,
	const char *word)
{
	const struct message *message = inbox_find(&thread->inbox, attempts_current(&thread->attempts), other);
	struct stmlog_loss loss = conflict_read_message(thread, message, contention, word);
	struct lost_to to = {NULL, conflict_culprit(other)};
	if (message != NULL) {
		loss.grade = other.thread != NULL ? STMLOG_GRADE_CERTAIN : STMLOG_GRADE_CANDIDATE;
		to.traceback = &message->traceback;
		to.culprit = conflict_culprit(message->from);
	} else if (other.thread == NULL) {
		to.traceback = conflict_read_origin(other.attempt, &loss);
	}
	if (to.traceback == NULL)
		thread_count_unavailable_traceback(thread);
	loss_abort(thread, &loss, &to, 0);
}

void stmlog_aborted_by_on(struct stmlog_thread *thread, struct stmlog_other other,
	enum stmlog_contention_kind contention, const char *word)
{
	if (!thread_enter(thread))
		return;
	bool is_over_data = (unsigned)contention <= STMLOG_WRITE_READ || contention == STMLOG_DATA;
	if (thread_is_in(thread, ATTEMPT_STATE) && is_over_data)
		be_aborted(thread, other, contention, word);
	else
		thread_misuse(thread,
			"stmlog_aborted_by without an attempt under way, or neither write-write, write-read nor data");
	thread_leave(thread);
}

static void abort_asked(struct stmlog_thread *thread, const char *word)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_USER_ABORT, STMLOG_NONE, word);
	loss.local = tb_current(thread->stack);
	loss.remote = TB_EMPTY; /* not TB_UNKNOWN: there is no other transaction */
	loss_abort(thread, &loss, NULL, 0);
}

void stmlog_abort_asked_on(struct stmlog_thread *thread, const char *word)
{
	if (!thread_enter(thread))
		return;
	if (thread_is_in(thread, ATTEMPT_STATE))
		abort_asked(thread, word);
	else
		thread_misuse(thread, "stmlog_abort_asked without an attempt under way");
	thread_leave(thread);
}

/* ---- pauses and waits ---- */

static void pause_self(struct stmlog_thread *thread)
{
	thread->conflict.loss.cause.reason = STMLOG_PAUSE;
	loss_interrupt(thread, &thread->conflict.loss, &thread->conflict.remote.copy, PAUSED_STATE);
}

void stmlog_pause_self_on(struct stmlog_thread *thread)
{
	if (!thread_enter(thread))
		return;
	if (has_conflict(thread))
		pause_self(thread);
	else
		thread_misuse(thread, "stmlog_pause_self without stmlog_contention in the same attempt");
	thread_leave(thread);
}

static void wait_inevitable(struct stmlog_thread *thread, struct stmlog_other other, const char *word)
{
	conflict_find(thread, STMLOG_INEVITABLE_MEETS_SAME, NULL, 0, other, word);
	thread->conflict.loss.cause.reason = STMLOG_WAIT;
	loss_interrupt(thread, &thread->conflict.loss, &thread->conflict.remote.copy, WAITING_INEVITABLE_STATE);
}

void stmlog_wait_inevitable_on(struct stmlog_thread *thread, struct stmlog_other other, const char *word)
{
	if (!thread_enter(thread))
		return;
	if (thread_may_wait(thread))
		wait_inevitable(thread, other, word);
	else
		thread_misuse(thread, "stmlog_wait_inevitable within a pause or wait");
	thread_leave(thread);
}

void stmlog_wait_segment_on(struct stmlog_thread *thread)
{
	const struct stmlog_loss none = stmlog_loss_make(STMLOG_WAIT, STMLOG_NONE, NULL);
	if (!thread_enter(thread))
		return;
	if (thread_may_wait(thread))
		loss_interrupt(thread, &none, NULL, WAITING_NONE_STATE);
	else
		thread_misuse(thread, "stmlog_wait_segment within a pause or wait");
	thread_leave(thread);
}
