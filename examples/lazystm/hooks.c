/* SPDX-License-Identifier: MIT
 * The hooks that are out of line. With STMLOG_OFF there are none. */
#ifndef STMLOG_OFF

#include "hooks.h"

void hook_attached(const struct profile *profile)
{
	if (profile->thread != NULL)
		AO_store(&hook_has_recorded, 1);
}

/* ---- attempts ---- */

void hook_start_on(struct profile *profile, stm_line here)
{
	tb_push(profile->stack, tb_place_site(here));
	profile->mark = tb_stack_mark(profile->stack);
	stmlog_start(profile->thread);
}

void hook_commit_on(const struct profile *profile)
{
	stmlog_commit(profile->thread);
	tb_pop(profile->stack);
}

/* The line is popped by profile_unwind(), as in the conflicts below. */
void hook_asked_on(const struct profile *profile, stm_line here, const char *why)
{
	const struct stmlog_loss loss = stmlog_loss_of(STMLOG_USER_ABORT, STMLOG_NONE, why);
	tb_push(profile->stack, tb_place_site(here));
	stmlog_abort(profile->thread, &loss);
}

/* ---- origins ---- */

volatile AO_t hook_writers[LOCKS];
volatile AO_t hook_has_recorded;

void hook_wrote_on(const struct profile *profile, stm_line here, struct hook_write *write)
{
	write->origin = stmlog_origin(profile->thread, tb_place_site(here));
}

struct culprit {
	uint64_t origin; /* 0: not known */
	const char *cause;
};

/* The lock changes only with commits: so this ends, unless others commit all the time. */
#define LOOKS 1000

/* Because of whom the lock looks like that: of the holder or, if it is free, of the writer of its version, which is
 * newer than the attempt's snapshot. The writer beside the lock is that of the version if the lock is still the same,
 * because versions are never used twice. If it is not, then its next holder, or its next version, is in the way as
 * well. */
static struct culprit find_culprit(const struct lock *lock, AO_t look)
{
	for (int looks = 0; looks < LOOKS; looks++) {
		if (lock_is_held(look))
			return (struct culprit){look >> 1, "LOCKED"};
		/* Acquire; partner: the release in hook_publish(). It also keeps the loads in this order. */
		AO_t writer = AO_load_acquire(&hook_writers[lock_number(lock)]), again = lock_look(lock);
		if (again == look)
			return (struct culprit){writer, "CHANGED"};
		look = again;
	}
	return (struct culprit){0, "CHANGED"};
}

static struct stmlog_loss loss_over(
	const void *word, const struct lock *lock, AO_t look, enum stmlog_contention_kind contention)
{
	struct culprit culprit = find_culprit(lock, look);
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_SELF_ABORT, contention, culprit.cause);
	loss.other = culprit.origin;
	loss.object = (uintptr_t)word;
	return loss;
}

void hook_read_conflict(
	const struct profile *profile, stm_line here, const void *word, const struct lock *lock, AO_t look)
{
	if (profile->thread == NULL)
		return;
	struct stmlog_loss loss = loss_over(word, lock, look, STMLOG_WRITE_READ);
	tb_push(profile->stack, tb_place_site(here));
	stmlog_abort(profile->thread, &loss);
}

/* The local traceback is that of the write, and not of the commit. */
void hook_write_conflict(const struct profile *profile, const struct hook_write *write, const void *word,
	const struct lock *lock, AO_t look)
{
	if (profile->thread == NULL)
		return;
	struct stmlog_loss loss = loss_over(word, lock, look, STMLOG_WRITE_WRITE);
	loss.own = write->origin;
	stmlog_abort(profile->thread, &loss);
}

#endif
