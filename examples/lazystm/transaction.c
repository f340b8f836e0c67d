/* SPDX-License-Identifier: MIT
 * The interface for the program: threads, running a transaction, and what a transaction does. */
#include <assert.h>
#include <stdlib.h>

#include "attempt.h"
#include "waiting.h"

int stm_open(void)
{
	static const struct stmlog_setup profiler = {.runtime = "lazystm", .name_object = objects_name};
	return profile_open(&profiler);
}

void stm_close(void)
{
	profile_close();
	objects_destroy_all();
}

/* ---- objects ---- */

struct stm_object *stm_object_create(const char *name, size_t words)
{
	return objects_create(name, sizeof(struct stm_object) + words * sizeof(uintptr_t));
}

/* For assertions. */
__attribute__((unused)) static bool is_within(const struct stm_object *object, size_t word)
{
	return word < (object->listed.size - sizeof *object) / sizeof object->word[0];
}

/* ---- threads ---- */

struct stm_thread *stm_thread_begin(void)
{
	struct stm_thread *thread = calloc(1, sizeof *thread);
	if (thread == NULL)
		return NULL;
	thread->profile = profile_attach();
	hook_attached(&thread->profile);
	return thread;
}

void stm_thread_end(struct stm_thread **thread)
{
	assert(!(*thread)->is_inside);
	profile_detach(&(*thread)->profile);
	sets_fini(&(*thread)->sets);
	free(*thread);
	*thread = NULL;
}

void stm_while_locked(struct stm_thread *thread, void (*call)(void *arg), void *arg)
{
	thread->while_locked = call;
	thread->while_locked_arg = arg;
}

/* ---- running ---- */

/* Each attempt begins behind the setjmp(): the first one falls through, the others return there by longjmp(). */
static void run_attempts(struct stm_thread *thread, stm_body *body, void *arg)
{
	thread->ending = NOT_YET;
	if (setjmp(thread->start) != 0) {
		if (thread->ending == GIVE_UP) {
			profile_leave(&thread->profile);
			return;
		}
		attempt_begin_again(thread);
	}
	body(thread, arg);
	attempt_commit(thread);
}

bool stm_run_at(struct stm_thread *thread, stm_line here, stm_body *body, void *arg)
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

static _Noreturn void leave_as_asked(struct stm_thread *thread, stm_line here, const char *why, enum ending ending)
{
	hook_asked(&thread->profile, here, why);
	attempt_leave(thread, ending);
}

/* If the first look was good, the lock has changed since. */
static _Noreturn __attribute__((cold)) void meet_conflict(
	struct stm_thread *thread, stm_line here, const uintptr_t *word, AO_t first, AO_t second)
{
	AO_t look = lock_is_held(first) || first > thread->snapshot ? first : second;
	hook_read_conflict(&thread->profile, here, word, lock_of(word), look);
	attempt_leave(thread, TRY_AGAIN);
}

/* Out of line, so that the usual path calls nothing before its end. */
static __attribute__((noinline, cold)) uint64_t grow_and_read(
	struct stm_thread *thread, stm_line here, struct stm_object *object, size_t word)
{
	if (!sets_grow_reads(&thread->sets))
		leave_as_asked(thread, here, "NO_MEMORY", GIVE_UP);
	return stm_read_at(thread, here, object, word);
}

uint64_t stm_read_at(struct stm_thread *thread, stm_line here, struct stm_object *object, size_t word)
{
	const uintptr_t *address = &object->word[word];
	assert(thread->is_inside && is_within(object, word));
	struct sets *sets = &thread->sets;
	const struct write *write = sets_find(sets, address);
	if (write != NULL)
		return write->value;
	if (sets->reads_len == sets->reads_cap)
		return grow_and_read(thread, here, object, word);
	const struct lock *lock = lock_of(address);
	AO_t first = lock_look(lock);
	uintptr_t value = word_load(address);
	AO_t second = AO_load(&lock->word);
	if (lock_is_held(first) || first > thread->snapshot || second != first)
		meet_conflict(thread, here, address, first, second);
	sets->reads[sets->reads_len++] = (struct read){address, here};
	return value;
}

static __attribute__((noinline, cold)) void grow_and_write(
	struct stm_thread *thread, stm_line here, struct stm_object *object, size_t word, uint64_t value)
{
	if (!sets_grow_writes(&thread->sets))
		leave_as_asked(thread, here, "NO_MEMORY", GIVE_UP);
	stm_write_at(thread, here, object, word, value);
}

void stm_write_at(struct stm_thread *thread, stm_line here, struct stm_object *object, size_t word, uint64_t value)
{
	uintptr_t *address = &object->word[word];
	assert(thread->is_inside && is_within(object, word));
	struct sets *sets = &thread->sets;
	struct write *write = sets_find(sets, address);
	if (write != NULL) {
		write->value = value;
		return;
	}
	if (sets->writes_len == sets->writes_cap) {
		grow_and_write(thread, here, object, word, value);
		return;
	}
	write = &sets->writes[sets->writes_len++];
	write->word = address;
	write->value = value;
	write->lock = lock_of(address);
	sets->filter |= sets_bit(address);
	hook_wrote(&thread->profile, here, &write->hook);
}

void stm_abort_at(struct stm_thread *thread, stm_line here, const char *why)
{
	assert(thread->is_inside);
	leave_as_asked(thread, here, why, GIVE_UP);
}

void stm_retry_at(struct stm_thread *thread, stm_line here, const char *why)
{
	assert(thread->is_inside);
	leave_as_asked(thread, here, why, TRY_AGAIN);
}

_Noreturn void stm_await_at(struct stm_thread *thread, stm_line here, const char *why)
{
	assert(thread->is_inside);
	hook_asked(&thread->profile, here, why);
	waiting_for_change(thread);
	attempt_leave(thread, TRY_AGAIN);
}
