/* SPDX-License-Identifier: MIT
 * Who is where, by the table of causes (runtime.h, enum stmlog_conflict). */
#include "met.h"

static const enum stmlog_contention contention_of[STMLOG_CONFLICTS] = {
	[STMLOG_WRITE_MEETS_WRITE] = STMLOG_WRITE_WRITE,
	[STMLOG_WRITE_MEETS_READ] = STMLOG_WRITE_READ,
	[STMLOG_READ_MEETS_WRITE] = STMLOG_WRITE_READ,
	[STMLOG_INEVITABLE_MEETS_SAME] = STMLOG_INEVITABLE,
};

static struct tb_frame *own_write(struct stmlog_thread *thread, uintptr_t object)
{
	struct tb_frame *traceback = trail_find_own(&thread->trails, attempts_current(&thread->attempts), object);
	if (traceback == TB_UNKNOWN)
		stmlog_count_unavailable_traceback(thread);
	return traceback;
}

/* Where the other one reads nobody has noted; who it is can be said as long as it is in that attempt. */
static bool identify(struct met *met)
{
	const struct stmlog_thread *other = met->other.thread;
	uint32_t id = (uint32_t)AO_load_acquire(&other->id);
	if (met->other.attempt == 0 || attempts_under_way(&other->attempts) != met->other.attempt)
		return false;
	met->loss.remote_thread = id;
	return true;
}

static bool find_traceback(struct stmlog_thread *thread)
{
	struct met *met = &thread->met;
	uintptr_t what = met->conflict == STMLOG_INEVITABLE_MEETS_SAME ? TRAIL_INEVITABLE : met->loss.object;
	bool is_found = met->other.attempt != 0 && trail_find_remote(&met->other.thread->trails, met->other.attempt,
							   what, &met->remote, &met->loss.remote_thread);
	if (!is_found)
		stmlog_count_unavailable_traceback(thread);
	return is_found;
}

static void find_other(struct stmlog_thread *thread)
{
	struct met *met = &thread->met;
	enum stmlog_grade grade = STMLOG_GRADE_CERTAIN;
	tb_copy_forget(&met->remote);
	if (met->other.thread == NULL)
		return;
	if (met->other.attempt == 0) {
		met->other.attempt = attempts_under_way(&met->other.thread->attempts);
		grade = STMLOG_GRADE_CANDIDATE;
	}
	if (met->conflict == STMLOG_WRITE_MEETS_READ ? identify(met) : find_traceback(thread))
		met->loss.grade = grade;
}

void met_find(struct stmlog_thread *thread, enum stmlog_conflict conflict, uintptr_t object, struct stmlog_other other,
	const char *word)
{
	bool is_earlier = conflict == STMLOG_WRITE_MEETS_READ;
	struct tb_frame *local = tb_ref(is_earlier ? own_write(thread, object) : tb_current(thread->stack));
	met_forget(thread);
	struct met *met = &thread->met;
	met->attempt = attempts_current(&thread->attempts);
	met->conflict = conflict;
	met->other = other;
	met->loss = stmlog_loss_make(STMLOG_SELF_ABORT, contention_of[conflict], word);
	met->loss.local = local;
	met->loss.object = object;
	find_other(thread);
}

void met_forget(struct stmlog_thread *thread)
{
	if (thread->met.loss.local != NULL)
		tb_unref(thread->stack, thread->met.loss.local);
	thread->met.loss.local = NULL;
	thread->met.attempt = 0;
}

struct culprit met_culprit(struct stmlog_other other)
{
	if (other.thread == NULL || other.attempt == 0)
		return (struct culprit){NULL, 0};
	return (struct culprit){&other.thread->attempts, other.attempt};
}

/* ---- letters ---- */

/* A runtime that tries to make another one abort until it has calls this each time. */
static bool is_sent(const struct sent *sent, const struct met *met)
{
	return sent->to.thread == met->other.thread && sent->to.attempt == met->other.attempt &&
	       sent->attempt == met->attempt && sent->conflict == met->conflict && sent->object == met->loss.object &&
	       sent->place == tb_hash(met->loss.local);
}

void met_write_letter(struct stmlog_thread *thread)
{
	const struct met *met = &thread->met;
	if (met->other.thread == NULL || met->other.attempt == 0 || is_sent(&thread->sent, met))
		return;
	/* What finds no room is counted by whom it was for: it will look for the letter. */
	struct letter *letter = inbox_claim(&met->other.thread->inbox);
	if (letter == NULL)
		return;
	letter->attempt = met->other.attempt;
	letter->from = stmlog_other_make(thread, met->attempt);
	letter->from_thread = stmlog_thread_id(thread);
	letter->conflict = met->conflict;
	letter->object = met->loss.object;
	letter->word = met->loss.cause.detail;
	tb_copy_take(&letter->traceback, met->loss.local);
	inbox_post(&met->other.thread->inbox, letter);
	thread->sent =
		(struct sent){met->other, met->attempt, met->conflict, met->loss.object, tb_hash(met->loss.local)};
}

struct stmlog_loss met_read_letter(
	struct stmlog_thread *thread, const struct letter *letter, enum stmlog_contention contention, const char *word)
{
	if (letter == NULL) {
		stmlog_count_unavailable_traceback(thread);
		return stmlog_loss_make(STMLOG_ABORTED_BY_OTHER, contention, word);
	}
	const char *detail = letter->word != NULL ? letter->word : word;
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_ABORTED_BY_OTHER, contention_of[letter->conflict], detail);
	/* Of a writer's victim that has read nobody knows where. */
	if (letter->conflict != STMLOG_WRITE_MEETS_READ)
		loss.local = own_write(thread, letter->object);
	loss.object = letter->object;
	loss.remote_thread = letter->from_thread;
	return loss;
}
