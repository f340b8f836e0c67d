/* SPDX-License-Identifier: MIT
 * The contention managers, and what follows from their decision. Here are the hooks that report conflicts to stmlog, in
 * their order: first the contention, then the abort or the pause. */
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

static enum stmlog_contention_kind contention_of(enum stmlog_conflict conflict)
{
	return conflict == STMLOG_WRITE_MEETS_WRITE ? STMLOG_WRITE_WRITE : STMLOG_WRITE_READ;
}

/* Removes an attempt that will not commit from the object's owner and readers. */
static void take_away(struct segment *other, struct stm_object *object)
{
	if (object->owner == other)
		object->owner = NULL;
	object->readers &= ~other->bit;
}

/* The hook comes before the status changes: when the other attempt sees that it has to abort, it can also see because
 * of whom. */
static void abort_other(
	struct stm_thread *thread, struct segment *other, enum stmlog_conflict conflict, struct stm_object *object)
{
	stmlog_abort_other(thread->profile.thread);
	other->status = ABORTED;
	other->aborter = thread->segment->who;
	other->aborted_over = contention_of(conflict);
	take_away(other, object);
	world_has_changed();
}

static void pause_for(struct stm_thread *thread, const struct segment *other)
{
	uint64_t attempt = other->attempt;
	stmlog_pause_self(thread->profile.thread);
	thread->segment->is_paused = true;
	while (other->status == ACTIVE && other->attempt == attempt && thread->segment->status == ACTIVE)
		world_wait();
	thread->segment->is_paused = false;
	stmlog_pause_end(thread->profile.thread);
	attempt_check(thread);
}

void contention_resolve(struct stm_thread *thread, struct segment *other, enum stmlog_conflict conflict,
	struct stm_object *object, enum stmlog_overlap overlap)
{
	assert(world.is_locked);
	if (other->status == ABORTED) {
		take_away(other, object); /* it will not commit, so there is no conflict */
		return;
	}
	static const char *const words[STMLOG_CONFLICTS] = {"WRITTEN", "READ", "BEING_WRITTEN", "INEVITABLE"};
	stmlog_contention(thread->profile.thread, conflict, (uintptr_t)object, other->who, words[conflict]);
	if (overlap != STMLOG_OVERLAP_UNKNOWN)
		stmlog_contention_overlap(thread->profile.thread, overlap, 0);
	switch (choose(thread->segment, other)) {
	case ABORT_MYSELF:
		stmlog_abort_self(thread->profile.thread);
		attempt_leave(thread, TRY_AGAIN); /* does not return */
	case ABORT_THE_OTHER:
		abort_other(thread, other, conflict, object);
		break;
	case PAUSE:
		pause_for(thread, other);
		break;
	}
}
