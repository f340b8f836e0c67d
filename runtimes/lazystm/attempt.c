/* SPDX-License-Identifier: MIT
 * The life of an attempt. The commit takes the locks of the words to be written, advances the clock, checks what was
 * read, writes, and releases the locks. */
#include "attempt.h"

#include <sched.h>

static void begin(struct lazy_thread *thread)
{
	thread->snapshot = lock_clock_now();
}

void attempt_begin_first(struct lazy_thread *thread)
{
	thread->failed = 0;
	profile_start(&thread->profile);
	begin(thread);
}

/* After some aborts the thread lets others run: one of them may have been interrupted while it holds a lock. */
void attempt_begin_again(struct lazy_thread *thread)
{
	profile_retry(&thread->profile);
	if (++thread->failed > 3) {
		profile_other_begin(&thread->profile);
		sched_yield();
		profile_other_end(&thread->profile);
	}
	begin(thread);
}

_Noreturn void attempt_leave(struct lazy_thread *thread, enum ending ending)
{
	sets_clear(&thread->sets);
	profile_unwind(&thread->profile);
	thread->ending = ending;
	longjmp(thread->start, 1);
}

_Noreturn void attempt_conflict(
	struct lazy_thread *thread, enum profile_access access, profile_line here, const void *word, struct lock *lock)
{
	profile_conflict(&thread->profile, access, here, word, lock);
	attempt_leave(thread, TRY_AGAIN);
}

/* ---- commit ---- */

/* Gives the locks back that were taken for the first `len` writes, with the versions that they had. */
static void give_back(struct lazy_thread *thread, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const struct write *write = &thread->sets.writes[i];
		if (write->has_taken)
			lock_release(write->lock, write->before);
	}
}

/* False: another transaction holds the lock. */
static bool take(struct lazy_thread *thread, struct write *write)
{
	AO_t look = lock_look(write->lock);
	write->before = look;
	write->has_taken = !lock_is_mine(look, thread);
	if (!write->has_taken)
		return true;
	return !lock_is_held(look) && lock_take(write->lock, look, thread);
}

static void take_all(struct lazy_thread *thread)
{
	for (size_t i = 0; i < thread->sets.writes_len; i++) {
		struct write *write = &thread->sets.writes[i];
		if (take(thread, write))
			continue;
		give_back(thread, i);
		attempt_conflict(thread, PROFILE_WRITE, write->here, write->word, write->lock);
	}
}

/* The version that a lock of this commit had before. */
static AO_t version_before(const struct lazy_thread *thread, const struct lock *lock)
{
	const struct write *write = thread->sets.writes;
	while (write->lock != lock || !write->has_taken)
		write++;
	return write->before;
}

static bool is_still_valid(const struct lazy_thread *thread, const struct read *read)
{
	AO_t look = lock_look(read->lock);
	if (lock_is_mine(look, thread))
		look = version_before(thread, read->lock);
	return !lock_is_held(look) && look <= thread->snapshot;
}

static void check_reads(struct lazy_thread *thread)
{
	for (size_t i = 0; i < thread->sets.reads_len; i++) {
		const struct read *read = &thread->sets.reads[i];
		if (is_still_valid(thread, read))
			continue;
		give_back(thread, thread->sets.writes_len);
		attempt_conflict(thread, PROFILE_READ, read->here, read->word, read->lock);
	}
}

static void write_back(struct lazy_thread *thread, AO_t version)
{
	for (size_t i = 0; i < thread->sets.writes_len; i++)
		word_store(thread->sets.writes[i].word, thread->sets.writes[i].value);
	for (size_t i = 0; i < thread->sets.writes_len; i++) {
		const struct write *write = &thread->sets.writes[i];
		if (write->has_taken) {
			profile_publish(&thread->profile, write->lock);
			lock_release(write->lock, version);
		}
	}
}

/* If the clock was at the snapshot up to now, no other transaction has written since. */
static void write_all(struct lazy_thread *thread)
{
	take_all(thread);
	AO_t version = lock_clock_advance();
	if (version != thread->snapshot + 2)
		check_reads(thread);
	if (thread->while_locked != NULL)
		thread->while_locked(thread->while_locked_arg);
	write_back(thread, version);
}

void attempt_commit(struct lazy_thread *thread)
{
	if (thread->sets.writes_len != 0)
		write_all(thread);
	profile_commit(&thread->profile);
	sets_clear(&thread->sets);
}
