/* SPDX-License-Identifier: MIT
 * The interface for the program: threads, running a transaction, and what a transaction does. */
#include <stdlib.h>

#include "attempt.h"
#include "waiting.h"

int lazy_open(void)
{
	return profile_open();
}

void lazy_close(void)
{
	profile_close();
}

/* ---- threads ---- */

struct lazy_thread *lazy_thread_begin(void)
{
	struct lazy_thread *thread = calloc(1, sizeof *thread);
	if (thread != NULL)
		thread->profile = profile_attach();
	return thread;
}

void lazy_thread_end(struct lazy_thread **thread)
{
	profile_detach();
	sets_fini(&(*thread)->sets);
	free(*thread);
	*thread = NULL;
}

void lazy_while_locked(struct lazy_thread *thread, void (*call)(void *arg), void *arg)
{
	thread->while_locked = call;
	thread->while_locked_arg = arg;
}

/* ---- running ---- */

/* Each attempt begins behind the setjmp(): the first one falls through, the others return there by longjmp(). */
static void run_attempts(struct lazy_thread *thread, lazy_body *body, void *arg)
{
	thread->ending = NOT_YET;
	if (setjmp(thread->start) != 0) {
		if (thread->ending == GIVE_UP) {
			profile_give_up(&thread->profile);
			return;
		}
		attempt_begin_again(thread);
	}
	body(thread, arg);
	attempt_commit(thread);
}

bool lazy_run_at(struct lazy_thread *thread, profile_line here, lazy_body *body, void *arg)
{
	if (thread->is_inside) {
		body(thread, arg);
		return true;
	}
	thread->is_inside = true;
	attempt_begin_first(thread, here);
	run_attempts(thread, body, arg);
	thread->is_inside = false;
	return thread->ending != GIVE_UP;
}

/* ---- what a transaction does ---- */

static _Noreturn void leave_as_asked(struct lazy_thread *thread, profile_line here, const char *why, enum ending ending)
{
	profile_asked(&thread->profile, here, why);
	attempt_leave(thread, ending);
}

/* If the first look was good, the lock has changed since. */
static _Noreturn __attribute__((cold)) void meet_conflict(
	struct lazy_thread *thread, profile_line here, const uintptr_t *word, AO_t first, AO_t second)
{
	AO_t look = lock_is_held(first) || first > thread->snapshot ? first : second;
	profile_read_conflict(&thread->profile, here, word, lock_of(word), look);
	attempt_leave(thread, TRY_AGAIN);
}

/* Out of line, so that the usual path calls nothing before its end. */
static __attribute__((noinline, cold)) uintptr_t grow_and_read(
	struct lazy_thread *thread, profile_line here, const uintptr_t *word)
{
	if (!sets_grow_reads(&thread->sets))
		leave_as_asked(thread, here, "NO_MEMORY", GIVE_UP);
	return lazy_read_at(thread, here, word);
}

uintptr_t lazy_read_at(struct lazy_thread *thread, profile_line here, const uintptr_t *word)
{
	struct sets *sets = &thread->sets;
	const struct write *write = sets_find(sets, word);
	if (write != NULL)
		return write->value;
	if (sets->reads_len == sets->reads_cap)
		return grow_and_read(thread, here, word);
	const struct lock *lock = lock_of(word);
	AO_t first = lock_look(lock);
	uintptr_t value = word_load(word);
	AO_t second = AO_load(&lock->word);
	if (lock_is_held(first) || first > thread->snapshot || second != first)
		meet_conflict(thread, here, word, first, second);
	sets->reads[sets->reads_len++] = (struct read){word, here};
	return value;
}

static __attribute__((noinline, cold)) void grow_and_write(
	struct lazy_thread *thread, profile_line here, uintptr_t *word, uintptr_t value)
{
	if (!sets_grow_writes(&thread->sets))
		leave_as_asked(thread, here, "NO_MEMORY", GIVE_UP);
	lazy_write_at(thread, here, word, value);
}

void lazy_write_at(struct lazy_thread *thread, profile_line here, uintptr_t *word, uintptr_t value)
{
	struct sets *sets = &thread->sets;
	struct write *write = sets_find(sets, word);
	if (write != NULL) {
		write->value = value;
		return;
	}
	if (sets->writes_len == sets->writes_cap) {
		grow_and_write(thread, here, word, value);
		return;
	}
	write = &sets->writes[sets->writes_len++];
	write->word = word;
	write->value = value;
	write->lock = lock_of(word);
	sets->filter |= sets_bit(word);
	profile_wrote(&thread->profile, here, &write->profile);
}

_Noreturn void lazy_abort_at(struct lazy_thread *thread, profile_line here, const char *why)
{
	leave_as_asked(thread, here, why, GIVE_UP);
}

_Noreturn void lazy_retry_at(struct lazy_thread *thread, profile_line here, const char *why)
{
	leave_as_asked(thread, here, why, TRY_AGAIN);
}

_Noreturn void lazy_await_at(struct lazy_thread *thread, profile_line here, const char *why)
{
	profile_asked(&thread->profile, here, why);
	waiting_for_change(thread);
	attempt_leave(thread, TRY_AGAIN);
}
