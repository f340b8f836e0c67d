/* SPDX-License-Identifier: MIT
 * The life of an attempt. The commit takes the locks of the words to be written, advances the clock, checks what was
 * read, writes, and releases the locks. */
#include "attempt.h"

#include <sched.h>

#include "waiting.h"

static void begin(struct stm_thread *thread)
{
	thread->snapshot = lock_clock_now();
}

void attempt_begin_first(struct stm_thread *thread, stm_line here)
{
	thread->failed = 0;
	hook_start(&thread->profile, here);
	begin(thread);
}

/* After some aborts the thread lets others run: one of them may have been interrupted while it holds a lock. */
void attempt_begin_again(struct stm_thread *thread)
{
	stmlog_retry(thread->profile.thread);
	if (++thread->failed > 3) {
		const struct stmlog_loss work = stmlog_loss_of(STMLOG_OTHER_WORK, STMLOG_NONE, "back-off");
		stmlog_wait_begin(thread->profile.thread, &work);
		sched_yield();
		stmlog_wait_end(thread->profile.thread);
	}
	begin(thread);
}

_Noreturn void attempt_leave(struct stm_thread *thread, enum ending ending)
{
	sets_clear(&thread->sets);
	profile_unwind(&thread->profile);
	thread->ending = ending;
	longjmp(thread->start, 1);
}

/* ---- commit ---- */

/* Gives the locks back that were taken for the first `len` writes, with the versions that they had. */
static void give_back(struct stm_thread *thread, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const struct write *write = &thread->sets.writes[i];
		if (write->has_taken)
			lock_release(write->lock, write->before);
	}
}

/* The write, among the first `len`, for which this commit has taken the lock; NULL: none. */
static const struct write *find_taken(const struct sets *sets, size_t len, const struct lock *lock)
{
	for (size_t i = 0; i < len; i++)
		if (sets->writes[i].lock == lock && sets->writes[i].has_taken)
			return &sets->writes[i];
	return NULL;
}

/* Returns 0 or, if another transaction holds the lock, the look that has found that. */
static AO_t take(const struct sets *sets, size_t i)
{
	struct write *write = &sets->writes[i];
	do {
		AO_t look = lock_look(write->lock);
		if (lock_is_held(look)) {
			write->has_taken = false;
			return find_taken(sets, i, write->lock) != NULL ? 0 : look;
		}
		write->before = look;
	} while (!lock_take(write->lock, write->before, hook_held(&write->hook)));
	write->has_taken = true;
	return 0;
}

static void take_all(struct stm_thread *thread)
{
	for (size_t i = 0; i < thread->sets.writes_len; i++) {
		const struct write *write = &thread->sets.writes[i];
		AO_t look = take(&thread->sets, i);
		if (look == 0)
			continue;
		give_back(thread, i);
		hook_write_conflict(&thread->profile, &write->hook, write->word, write->lock, look);
		attempt_leave(thread, TRY_AGAIN);
	}
}

/* Whether the lock, which looks like that, has still the version of the read. If this commit has taken the lock, it
 * knows the version from before. */
static bool is_still_valid(const struct stm_thread *thread, const struct lock *lock, AO_t look)
{
	if (!lock_is_held(look))
		return look <= thread->snapshot;
	const struct write *write = find_taken(&thread->sets, thread->sets.writes_len, lock);
	return write != NULL && write->before <= thread->snapshot;
}

static void check_reads(struct stm_thread *thread)
{
	for (size_t i = 0; i < thread->sets.reads_len; i++) {
		const struct read *read = &thread->sets.reads[i];
		const struct lock *lock = lock_of(read->word);
		AO_t look = lock_look(lock);
		if (is_still_valid(thread, lock, look))
			continue;
		give_back(thread, thread->sets.writes_len);
		hook_read_conflict(&thread->profile, read->here, read->word, lock, look);
		attempt_leave(thread, TRY_AGAIN);
	}
}

/* The test is for each commit, not for each lock. */
static void tell_writer(const struct sets *sets)
{
	if (hook_publishes())
		for (size_t i = 0; i < sets->writes_len; i++)
			hook_publish(&sets->writes[i].hook, sets->writes[i].lock);
}

static void write_back(struct stm_thread *thread, AO_t version)
{
	for (size_t i = 0; i < thread->sets.writes_len; i++)
		word_store(thread->sets.writes[i].word, thread->sets.writes[i].value);
	tell_writer(&thread->sets);
	for (size_t i = 0; i < thread->sets.writes_len; i++) {
		const struct write *write = &thread->sets.writes[i];
		if (write->has_taken)
			lock_release(write->lock, version);
	}
}

/* If the clock was at the snapshot up to now, no other transaction has written since. */
static void write_all(struct stm_thread *thread)
{
	take_all(thread);
	AO_t version = lock_clock_advance();
	if (version != thread->snapshot + 2)
		check_reads(thread);
	if (thread->while_locked != NULL)
		thread->while_locked(thread->while_locked_arg);
	write_back(thread, version);
}

void attempt_commit(struct stm_thread *thread)
{
	if (thread->sets.writes_len != 0) {
		write_all(thread);
		waiting_wake();
	}
	hook_commit(&thread->profile);
	sets_clear(&thread->sets);
}
