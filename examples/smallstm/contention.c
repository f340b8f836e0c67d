/* SPDX-License-Identifier: MIT
 * The contention managers, and what follows from their decision. Here are the hooks that report conflicts to
 * stmlog. */
#include "world.h"

enum way { ABORT_MYSELF, ABORT_THE_OTHER, PAUSE };

static bool is_inevitable(const struct segment *segment)
{
	return world.inevitable == segment;
}

static enum way ask_manager(const struct segment *mine, const struct segment *other)
{
	switch (world.setup.manager) {
	case STM_ABORT_SELF:
		return ABORT_MYSELF;
	case STM_ABORT_OTHER:
		return ABORT_THE_OTHER;
	case STM_ABORT_YOUNGER:
		return mine->birth < other->birth ? ABORT_THE_OTHER : ABORT_MYSELF;
	default:
		return PAUSE;
	}
}

/* The manager's decision, changed where it is not possible. No attempt pauses for one that is paused itself: so
 * attempts never wait for each other in a circle. */
static enum way choose(const struct segment *mine, const struct segment *other)
{
	enum way way = ask_manager(mine, other);
	if (way == PAUSE && other->is_paused)
		way = ABORT_MYSELF;
	if (way == ABORT_THE_OTHER && is_inevitable(other))
		way = ABORT_MYSELF;
	if (way == ABORT_MYSELF && is_inevitable(mine))
		way = ABORT_THE_OTHER;
	return way;
}

/* What stmlog gets to know of a conflict that costs this attempt its time. */
static struct stmlog_loss loss_of(enum stmlog_reason reason, const struct conflict *conflict)
{
	static const struct {
		enum stmlog_contention_kind contention;
		const char *word;
	} causes[] = {
		[WRITTEN_BY_BOTH] = {STMLOG_WRITE_WRITE, "WRITTEN"},
		[WRITTEN_AND_READ] = {STMLOG_WRITE_READ, "READ"},
		[READ_AND_WRITTEN] = {STMLOG_WRITE_READ, "BEING_WRITTEN"},
		[BOTH_INEVITABLE] = {STMLOG_INEVITABLE, "INEVITABLE"},
	};
	struct stmlog_loss loss =
		stmlog_loss_of(reason, causes[conflict->kind].contention, causes[conflict->kind].word);
	loss.own = conflict->own_origin;
	loss.other = conflict->other_origin;
	loss.object = (uintptr_t)conflict->object;
	loss.overlap = conflict->overlap;
	return loss;
}

/* Removes an attempt that will not commit from the object's owner and readers. */
static void take_away(struct segment *other, struct stm_object *object)
{
	if (object->owner == other)
		object->owner = NULL;
	object->readers &= ~other->bit;
}

/* The aborted attempt reports its loss later, when it sees its status. In that loss `own` is its own write or read, and
 * `other` is the write that this attempt makes now. */
static void abort_other(struct stm_thread *thread, const struct conflict *conflict)
{
	struct segment *other = conflict->other;
	struct stmlog_thread *log = thread->profile.thread;
	struct stmlog_loss loss = loss_of(STMLOG_ABORTED_BY_OTHER, conflict);
	stmlog_abort_other(log, &loss);
	loss.own = conflict->other_origin;
	loss.other = conflict->own_origin != 0 ? conflict->own_origin : stmlog_origin(log, TB_NO_SITE);
	other->loss = loss;
	other->status = ABORTED;
	take_away(other, conflict->object);
	world_has_changed();
}

static void pause_for(struct stm_thread *thread, const struct conflict *conflict)
{
	const struct segment *other = conflict->other;
	struct stmlog_loss loss = loss_of(STMLOG_PAUSE, conflict);
	uint64_t attempt = other->attempt;
	stmlog_wait_begin(thread->profile.thread, &loss);
	thread->segment->is_paused = true;
	while (other->status == ACTIVE && other->attempt == attempt && thread->segment->status == ACTIVE)
		world_wait();
	thread->segment->is_paused = false;
	stmlog_wait_end(thread->profile.thread);
	attempt_check(thread);
}

static _Noreturn void abort_myself(struct stm_thread *thread, const struct conflict *conflict)
{
	struct stmlog_loss loss = loss_of(STMLOG_SELF_ABORT, conflict);
	stmlog_abort(thread->profile.thread, &loss);
	attempt_leave(thread, TRY_AGAIN);
}

void contention_resolve(struct stm_thread *thread, const struct conflict *conflict)
{
	assert(world.is_locked);
	if (conflict->other->status == ABORTED) {
		take_away(conflict->other, conflict->object); /* it will not commit, so there is no conflict */
		return;
	}
	switch (choose(thread->segment, conflict->other)) {
	case ABORT_MYSELF:
		abort_myself(thread, conflict);
	case ABORT_THE_OTHER:
		abort_other(thread, conflict);
		break;
	case PAUSE:
		pause_for(thread, conflict);
		break;
	}
}
