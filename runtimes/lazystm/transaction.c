/* SPDX-License-Identifier: MIT
 * The interface for the program: threads, running a transaction, and what a transaction does. */
#include <stdlib.h>

#include "attempt.h"

struct lock locks[LOCKS];
struct lock_clock lock_clock;

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
		if (thread->ending == GIVE_UP)
			return;
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
	profile_enter(&thread->profile, here);
	attempt_begin_first(thread);
	run_attempts(thread, body, arg);
	profile_leave(&thread->profile);
	thread->is_inside = false;
	return thread->ending != GIVE_UP;
}

/* ---- what a transaction does ---- */

static _Noreturn void leave_as_asked(struct lazy_thread *thread, profile_line here, const char *why, enum ending ending)
{
	profile_asked(&thread->profile, here, why);
	attempt_leave(thread, ending);
}

static void note_read(struct lazy_thread *thread, profile_line here, const uintptr_t *word, struct lock *lock)
{
	struct sets *sets = &thread->sets;
	if (sets->reads_len == sets->reads_cap && !sets_grow_reads(sets))
		leave_as_asked(thread, here, "NO_MEMORY", GIVE_UP);
	sets->reads[sets->reads_len++] = (struct read){lock, word, here};
}

uintptr_t lazy_read_at(struct lazy_thread *thread, profile_line here, const uintptr_t *word)
{
	const struct write *write = sets_find(&thread->sets, word);
	if (write != NULL)
		return write->value;
	struct lock *lock = lock_of(word);
	AO_t look = lock_look(lock);
	uintptr_t value = word_load(word);
	if (lock_is_held(look) || look > thread->snapshot || AO_load(&lock->word) != look)
		attempt_conflict(thread, PROFILE_READ, here, word, lock);
	note_read(thread, here, word, lock);
	return value;
}

static void note_write(struct lazy_thread *thread, profile_line here, uintptr_t *word, uintptr_t value)
{
	struct sets *sets = &thread->sets;
	if (sets->writes_len == sets->writes_cap && !sets_grow_writes(sets))
		leave_as_asked(thread, here, "NO_MEMORY", GIVE_UP);
	profile_wrote(&thread->profile, here, word);
	sets->writes[sets->writes_len++] =
		(struct write){.word = word, .value = value, .lock = lock_of(word), .here = here};
	sets->filter |= sets_bit(word);
}

void lazy_write_at(struct lazy_thread *thread, profile_line here, uintptr_t *word, uintptr_t value)
{
	struct write *write = sets_find(&thread->sets, word);
	if (write != NULL)
		write->value = value;
	else
		note_write(thread, here, word, value);
}

_Noreturn void lazy_abort_at(struct lazy_thread *thread, profile_line here, const char *why)
{
	leave_as_asked(thread, here, why, GIVE_UP);
}

_Noreturn void lazy_retry_at(struct lazy_thread *thread, profile_line here, const char *why)
{
	leave_as_asked(thread, here, why, TRY_AGAIN);
}
