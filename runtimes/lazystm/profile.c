/* SPDX-License-Identifier: MIT
 * Opening and closing the profiler, attaching threads, and which attempt wrote the words of each lock last. With
 * STMLOG_OFF all of this does nothing. */
#include "lazystm.h"

#ifndef LAZYSTM_UNHOOKED

#include <errno.h>

#include "locks.h"

#ifdef STMLOG_OFF

int profile_open(void)
{
	return 0;
}

void profile_close(void)
{
}

struct profile profile_attach(void)
{
	return (struct profile){.thread = NULL};
}

void profile_detach(void)
{
}

#else

static bool is_ours;

int profile_open(void)
{
	const struct stmlog_setup setup = {.runtime = "lazystm"};
	int error = stmlog_open(&setup);
	is_ours = error == 0;
	return error == -EALREADY ? 0 : error;
}

void profile_close(void)
{
	if (is_ours)
		stmlog_close();
	is_ours = false;
}

struct profile profile_attach(void)
{
	struct stmlog_thread *thread = stmlog_thread_attach();
	if (thread != NULL)
		AO_store(&profile_has_recorded, 1);
	return (struct profile){.thread = thread, .stack = stmlog_thread_stack(thread)};
}

void profile_detach(void)
{
	stmlog_thread_detach();
}

#endif

/* ---- who wrote last ---- */

volatile AO_t profile_has_recorded;

/* struct stmlog_other of the last writer. Written by the holder of the lock. Read by any thread between two equal looks
 * at the free lock. */
static struct {
	volatile AO_t thread, attempt;
} writers[LOCKS];

void profile_publish_on(const struct profile *profile, const struct lock *lock)
{
	size_t number = lock_number(lock);
	/* Releases; partners: the acquiring loads in last_writer(). */
	AO_store_release(&writers[number].thread, (AO_t)profile->thread);
	AO_store_release(&writers[number].attempt, stmlog_attempt(profile->thread));
}

/* The writer of the lock's version; not known while the lock is held. */
static struct stmlog_other last_writer(const struct lock *lock)
{
	const struct stmlog_other nobody = stmlog_other_make(NULL, 0);
	size_t number = lock_number(lock);
	AO_t look = lock_look(lock);
	AO_t thread = AO_load_acquire(&writers[number].thread), attempt = AO_load_acquire(&writers[number].attempt);
	if (lock_is_held(look) || AO_load(&lock->word) != look)
		return nobody;
	return stmlog_other_make((struct stmlog_thread *)thread, attempt);
}

void profile_conflict(const struct profile *profile, enum profile_access access, profile_line here, const void *word,
	const struct lock *lock)
{
	if (profile->thread == NULL)
		return;
	bool is_held = lock_is_held(lock_look(lock));
	profile_enter(profile, here);
	stmlog_contention(profile->thread, access == PROFILE_READ ? STMLOG_READ_MEETS_WRITE : STMLOG_WRITE_MEETS_WRITE,
		(uintptr_t)word, last_writer(lock), is_held ? "LOCKED" : "CHANGED");
	stmlog_abort_self(profile->thread);
}

#endif
