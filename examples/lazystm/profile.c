/* SPDX-License-Identifier: MIT
 * Opening and closing the profiler, attaching threads, and the hooks that are out of line. With STMLOG_OFF there are
 * none. */
#include "lazystm.h"

#ifndef STMLOG_OFF

#include <errno.h>

static const struct stmlog_setup setup = {.runtime = "lazystm"};
static bool is_ours; /* opened here; else another runtime, or the program, has opened the profiler */

int profile_open(void)
{
	int error = stmlog_open(&setup);
	is_ours = error == 0;
	return error == -EALREADY ? 0 : error;
}

void profile_close(void)
{
	if (is_ours)
		stmlog_close();
	else
		stmlog_leave(&setup);
	is_ours = false;
}

struct profile profile_attach(void)
{
	struct stmlog_thread *thread = stmlog_thread_attach();
	if (thread != NULL)
		AO_store(&profile_has_recorded, 1);
	stmlog_set_runtime(thread, setup.runtime);
	return (struct profile){.thread = thread, .stack = stmlog_thread_stack(thread)};
}

void profile_detach(void)
{
	stmlog_thread_detach();
}

/* ---- attempts ---- */

void profile_start_on(struct profile *profile, profile_line here)
{
	tb_push(profile->stack, tb_place_site(here));
	profile->mark = tb_stack_mark(profile->stack);
	stmlog_start(profile->thread);
}

void profile_commit_on(const struct profile *profile)
{
	stmlog_commit(profile->thread);
	tb_pop(profile->stack);
}

/* The line is popped by profile_unwind(), as in the conflicts below. */
void profile_asked_on(const struct profile *profile, profile_line here, const char *why)
{
	tb_push(profile->stack, tb_place_site(here));
	stmlog_abort_asked(profile->thread, why);
}

/* ---- origins ---- */

volatile AO_t profile_writers[LOCKS];
volatile AO_t profile_has_recorded;

void profile_wrote_on(const struct profile *profile, profile_line here, struct profile_write *write)
{
	write->origin = stmlog_origin_here(profile->thread, tb_place_site(here));
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
		/* Acquire; partner: the release in profile_publish(). It also keeps the loads in this order. */
		AO_t writer = AO_load_acquire(&profile_writers[lock_number(lock)]), again = lock_look(lock);
		if (again == look)
			return (struct culprit){writer, "CHANGED"};
		look = again;
	}
	return (struct culprit){0, "CHANGED"};
}

void profile_read_conflict(
	const struct profile *profile, profile_line here, const void *word, const struct lock *lock, AO_t look)
{
	if (profile->thread == NULL)
		return;
	struct culprit culprit = find_culprit(lock, look);
	tb_push(profile->stack, tb_place_site(here));
	stmlog_contention(profile->thread, STMLOG_READ_MEETS_WRITE, (uintptr_t)word, stmlog_other_by(culprit.origin),
		culprit.cause);
	stmlog_abort_self(profile->thread);
}

/* The local traceback is that of the write, and not of the commit. */
void profile_write_conflict(const struct profile *profile, const struct profile_write *write, const void *word,
	const struct lock *lock, AO_t look)
{
	if (profile->thread == NULL)
		return;
	struct culprit culprit = find_culprit(lock, look);
	stmlog_contention_from(profile->thread, STMLOG_EARLIER_WRITE_MEETS_WRITE, write->origin, (uintptr_t)word,
		stmlog_other_by(culprit.origin), culprit.cause);
	stmlog_abort_self(profile->thread);
}

#endif
