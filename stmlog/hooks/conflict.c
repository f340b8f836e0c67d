/* SPDX-License-Identifier: MIT
 * Finds the tracebacks of both sides of a conflict, by the table of causes (runtime.h, enum stmlog_conflict). */
#include "conflict.h"

#include "words.h"

static const enum stmlog_contention_kind contention_of[STMLOG_CONFLICTS] = {
	[STMLOG_WRITE_MEETS_WRITE] = STMLOG_WRITE_WRITE,
	[STMLOG_WRITE_MEETS_READ] = STMLOG_WRITE_READ,
	[STMLOG_READ_MEETS_WRITE] = STMLOG_WRITE_READ,
	[STMLOG_INEVITABLE_MEETS_SAME] = STMLOG_INEVITABLE,
	[STMLOG_EARLIER_WRITE_MEETS_WRITE] = STMLOG_WRITE_WRITE,
	[STMLOG_EARLIER_READ_MEETS_WRITE] = STMLOG_WRITE_READ,
	[STMLOG_ACCESS_MEETS_ACCESS] = STMLOG_DATA,
};

static struct tb_frame *own_write(struct stmlog_thread *thread, uintptr_t object)
{
	struct tb_frame *traceback = trail_find_own(&thread->trails, attempts_current(&thread->attempts), object);
	if (traceback == TB_UNKNOWN)
		thread_count_unavailable_traceback(thread);
	return traceback;
}

/* Finds the thread of a transaction that has read the object. Where it read the object was not recorded. Its thread is
 * known as long as the attempt is under way. */
static bool identify(struct conflict *conflict)
{
	const struct stmlog_thread *other = conflict->other.thread;
	uint32_t id = (uint32_t)AO_load_acquire(&other->id);
	if (conflict->other.attempt == 0 || attempts_under_way(&other->attempts) != conflict->other.attempt)
		return false;
	conflict->loss.remote_thread = id;
	return true;
}

/* Finds the other transaction's write of the object. */
static bool find_write(struct conflict *conflict, uintptr_t object)
{
	return conflict->other.attempt != 0 &&
	       trail_find_remote(&conflict->other.thread->trails, conflict->other.attempt, object, &conflict->remote,
		       &conflict->loss.remote_thread);
}

static bool find_traceback(struct stmlog_thread *thread)
{
	struct conflict *conflict = &thread->conflict;
	uintptr_t object = conflict->kind == STMLOG_INEVITABLE_MEETS_SAME ? TRAIL_INEVITABLE : conflict->loss.object;
	if (find_write(conflict, object))
		return true;
	trail_copy_forget(&conflict->remote);
	if (conflict->kind == STMLOG_ACCESS_MEETS_ACCESS) /* the other access may have been a read */
		return identify(conflict);
	thread_count_unavailable_traceback(thread);
	return false;
}

static bool find_reader(struct conflict *conflict)
{
	trail_copy_forget(&conflict->remote);
	return identify(conflict);
}

const struct tb_copy *conflict_read_origin(uint64_t origin, struct stmlog_loss *loss)
{
	struct stmlog_origin_parts parts;
	if (stmlog_origin_read(origin, &parts))
		loss->grade = STMLOG_GRADE_CERTAIN;
	loss->remote_thread = parts.thread;
	return parts.traceback;
}

static void find_origin(struct stmlog_thread *thread, uint64_t origin)
{
	struct conflict *conflict = &thread->conflict;
	const struct tb_copy *traceback = conflict_read_origin(origin, &conflict->loss);
	trail_copy_forget(&conflict->remote);
	if (traceback != NULL)
		tb_copy_assign(&conflict->remote.copy, traceback);
	else if (origin != 0)
		thread_count_unavailable_traceback(thread);
}

static void find_other(struct stmlog_thread *thread)
{
	struct conflict *conflict = &thread->conflict;
	conflict->grade = STMLOG_GRADE_CERTAIN;
	if (conflict->other.thread == NULL) {
		find_origin(thread, conflict->other.attempt);
		return;
	}
	if (conflict->other.attempt == 0) {
		conflict->other.attempt = attempts_under_way(&conflict->other.thread->attempts);
		conflict->grade = STMLOG_GRADE_CANDIDATE;
	}
	if (conflict->kind == STMLOG_WRITE_MEETS_READ ? find_reader(conflict) : find_traceback(thread))
		conflict->loss.grade = conflict->grade;
}

static struct tb_frame *find_local(struct stmlog_thread *thread, enum stmlog_conflict kind, uintptr_t object)
{
	switch (kind) {
	case STMLOG_WRITE_MEETS_READ:
	case STMLOG_EARLIER_WRITE_MEETS_WRITE:
		return own_write(thread, object);
	case STMLOG_EARLIER_READ_MEETS_WRITE:
		return TB_UNKNOWN;
	default:
		return tb_current(thread->stack);
	}
}

/* Replaces the reference to the local traceback of the last conflict. */
static void hold(struct stmlog_thread *thread, struct tb_frame *local)
{
	struct tb_frame *last = thread->conflict.loss.local;
	thread->conflict.loss.local = tb_ref(local);
	if (last != NULL)
		tb_unref(thread->stack, last);
}

void conflict_find(struct stmlog_thread *thread, enum stmlog_conflict kind, struct tb_frame *local, uintptr_t object,
	struct stmlog_other other, const char *word)
{
	struct conflict *conflict = &thread->conflict;
	local = local != NULL ? local : find_local(thread, kind, object);
	if (local != conflict->loss.local)
		hold(thread, local);
	conflict->attempt = attempts_current(&thread->attempts);
	conflict->kind = kind;
	conflict->other = other;
	conflict->loss = stmlog_loss_make(STMLOG_SELF_ABORT, contention_of[kind], word);
	conflict->loss.local = local;
	conflict->loss.object = object;
	find_other(thread);
}

/* If the write is found by the other object, its traceback is no longer counted as unavailable. */
void conflict_add_overlap(struct stmlog_thread *thread, enum stmlog_overlap overlap, uintptr_t other_object)
{
	struct conflict *conflict = &thread->conflict;
	conflict->loss.overlap = overlap;
	conflict->loss.other_object = other_object;
	bool may_have_write = conflict->kind != STMLOG_WRITE_MEETS_READ &&
			      conflict->kind != STMLOG_INEVITABLE_MEETS_SAME && conflict->other.thread != NULL;
	if (other_object == 0 || conflict->remote.trail != NULL || !may_have_write)
		return;
	if (!find_write(conflict, other_object)) {
		trail_copy_forget(&conflict->remote);
		return;
	}
	conflict->loss.grade = conflict->grade;
	if (conflict->kind != STMLOG_ACCESS_MEETS_ACCESS)
		AO_store(&thread->tracebacks_unavailable, AO_load(&thread->tracebacks_unavailable) - 1);
}

void conflict_forget(struct stmlog_thread *thread)
{
	if (thread->conflict.loss.local != NULL)
		tb_unref(thread->stack, thread->conflict.loss.local);
	thread->conflict.loss.local = NULL;
	thread->conflict.attempt = 0;
}

struct culprit conflict_culprit(struct stmlog_other other)
{
	if (other.thread == NULL || other.attempt == 0)
		return (struct culprit){NULL, 0};
	return (struct culprit){&other.thread->attempts, other.attempt};
}

/* ---- messages ---- */

/* A runtime may try repeatedly to make the same attempt abort. That attempt gets one message only. */
static bool is_sent(const struct sent *sent, const struct conflict *conflict)
{
	return sent->to.thread == conflict->other.thread && sent->to.attempt == conflict->other.attempt &&
	       sent->attempt == conflict->attempt && sent->conflict == conflict->kind &&
	       sent->object == conflict->loss.object && sent->place == tb_hash(conflict->loss.local);
}

void conflict_write_message(struct stmlog_thread *thread)
{
	const struct conflict *conflict = &thread->conflict;
	if (conflict->other.thread == NULL || conflict->other.attempt == 0 || is_sent(&thread->sent, conflict))
		return;
	/* If there is no room, the receiver does not find the message, and counts an unavailable traceback. */
	struct message *message = inbox_claim(&conflict->other.thread->inbox);
	if (message == NULL)
		return;
	message->attempt = conflict->other.attempt;
	message->from = stmlog_other_make(thread, conflict->attempt);
	message->from_thread = stmlog_thread_id(thread);
	message->conflict = conflict->kind;
	message->object = conflict->loss.object;
	message->other_object = conflict->loss.other_object;
	message->overlap = conflict->loss.overlap;
	words_intern(conflict->loss.cause.detail); /* the receiver may read it after its library was unloaded */
	message->word = conflict->loss.cause.detail;
	tb_copy_take(&message->traceback, conflict->loss.local);
	inbox_post(&conflict->other.thread->inbox, message);
	thread->sent = (struct sent){conflict->other, conflict->attempt, conflict->kind, conflict->loss.object,
		tb_hash(conflict->loss.local)};
}

/* Returns where the victim of a message wrote its object. The place of a read was not recorded. */
static struct tb_frame *find_victim(struct stmlog_thread *thread, enum stmlog_conflict kind, uintptr_t object)
{
	if (kind == STMLOG_WRITE_MEETS_READ)
		return TB_UNKNOWN;
	if (kind == STMLOG_ACCESS_MEETS_ACCESS) /* the access may have been a read */
		return trail_find_own(&thread->trails, attempts_current(&thread->attempts), object);
	return own_write(thread, object);
}

struct stmlog_loss conflict_read_message(struct stmlog_thread *thread, const struct message *message,
	enum stmlog_contention_kind contention, const char *word)
{
	if (message == NULL)
		return stmlog_loss_make(STMLOG_ABORTED_BY_OTHER, contention, word);
	const char *detail = message->word != NULL ? message->word : word;
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_ABORTED_BY_OTHER, contention_of[message->conflict], detail);
	bool has_own_object = message->other_object != 0;
	loss.object = has_own_object ? message->other_object : message->object;
	loss.other_object = has_own_object ? message->object : 0;
	loss.overlap = message->overlap;
	loss.local = find_victim(thread, message->conflict, loss.object);
	loss.remote_thread = message->from_thread;
	return loss;
}
