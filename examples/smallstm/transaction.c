/* SPDX-License-Identifier: MIT
 * The interface for the program: threads, running a transaction, and what a transaction does. */
#include <stdlib.h>
#include <string.h>

#include "world.h"

/* ---- threads ---- */

struct stm_thread *stm_thread_begin(void)
{
	struct stm_thread *thread = calloc(1, sizeof *thread);
	if (thread != NULL)
		thread->profile = profile_attach();
	return thread;
}

void stm_thread_end(struct stm_thread **thread)
{
	assert((*thread)->segment == NULL);
	profile_detach();
	free(*thread);
	*thread = NULL;
}

void stm_enter_at(struct stm_thread *thread, stm_line here)
{
	profile_enter(&thread->profile, here);
}

void stm_leave(struct stm_thread *thread)
{
	profile_leave(&thread->profile);
}

/* ---- commit ---- */

/* Another attempt that has read the object; NULL: there is none. */
static struct segment *find_reader(const struct segment *segment, const struct stm_object *object)
{
	uint64_t others = object->readers & ~segment->bit;
	return others != 0 ? &world.segments[__builtin_ctzll(others)] : NULL;
}

/* Returns whether there was a conflict: then all objects have to be checked again. */
static bool resolve_with_a_reader(struct stm_thread *thread)
{
	for (struct write *write = thread->segment->writes; write != NULL; write = write->next) {
		struct segment *reader = find_reader(thread->segment, write->object);
		if (reader == NULL)
			continue;
		contention_resolve(thread, reader, STMLOG_WRITE_MEETS_READ, write->object, STMLOG_OVERLAP_UNKNOWN);
		return true;
	}
	return false;
}

static void commit(struct stm_thread *thread)
{
	world_lock();
	attempt_check(thread);
	while (resolve_with_a_reader(thread))
		;
	for (struct write *write = thread->segment->writes; write != NULL; write = write->next)
		memcpy(write->object->word, write->word, write->object->words * sizeof write->word[0]);
	attempt_commit(thread);
}

/* The thread ends in the middle of a transaction (pthread_exit, cancellation). */
static void end_with_thread(void *thread)
{
	attempt_abandon(thread);
}

/* Each attempt begins behind the setjmp(): the first one falls through, the others return there by longjmp(). */
static void run_attempts(struct stm_thread *thread, stm_body *body, void *arg)
{
	thread->ending = NOT_YET;
	if (setjmp(thread->start) != 0) {
		if (thread->ending == GIVE_UP)
			return;
		attempt_begin_again(thread);
	}
	body(thread, arg);
	commit(thread);
}

bool stm_run_at(struct stm_thread *thread, stm_line here, stm_body *body, void *arg)
{
	if (thread->segment != NULL) {
		body(thread, arg);
		return true;
	}
	profile_enter(&thread->profile, here);
	attempt_begin_first(thread);
	profile_mark(&thread->profile);
	pthread_cleanup_push(end_with_thread, thread);
	run_attempts(thread, body, arg);
	pthread_cleanup_pop(0);
	profile_leave(&thread->profile);
	return thread->ending != GIVE_UP;
}

/* ---- what a transaction does ---- */

/* Between the two calls the user's line is on the shadow stack, the lock is held, and no other transaction has aborted
 * the attempt. */
static void begin_step(struct stm_thread *thread, stm_line here)
{
	profile_enter(&thread->profile, here);
	world_lock();
	attempt_check(thread);
}

static void end_step(struct stm_thread *thread)
{
	world_unlock();
	profile_leave(&thread->profile);
}

/* Without memory the transaction is given up, even an inevitable one. */
static void *allocate(struct stm_thread *thread, size_t size)
{
	void *memory = malloc(size);
	if (memory == NULL) {
		stmlog_abort_asked(thread->profile.thread, "NO_MEMORY");
		attempt_leave(thread, GIVE_UP);
	}
	return memory;
}

static struct write *find_write(const struct segment *segment, const struct stm_object *object)
{
	struct write *write = segment->writes;
	while (write != NULL && write->object != object)
		write = write->next;
	return write;
}

/* Whether the object's owner has written this word up to now. If not, the conflict is a false one: objects are locked
 * as a whole. */
static enum stmlog_overlap overlap_at(const struct stm_object *object, size_t word)
{
	if (object->words > 64)
		return STMLOG_OVERLAP_UNKNOWN;
	const struct write *write = find_write(object->owner, object);
	bool is_same = write != NULL && (write->changed >> word & 1) != 0;
	return is_same ? STMLOG_OVERLAP_SAME : STMLOG_OVERLAP_STRIPE;
}

/* Locks the object for the attempt's first write. The hook comes before the lock is visible to others. */
static struct write *lock_object(struct stm_thread *thread, struct stm_object *object, size_t word)
{
	struct segment *segment = thread->segment;
	while (object->owner != NULL)
		contention_resolve(thread, object->owner, STMLOG_WRITE_MEETS_WRITE, object, overlap_at(object, word));
	struct write *write = allocate(thread, sizeof *write + object->words * sizeof write->word[0]);
	stmlog_wrote(thread->profile.thread, (uintptr_t)object);
	object->owner = segment;
	write->object = object;
	write->changed = 0;
	memcpy(write->word, object->word, object->words * sizeof write->word[0]);
	write->next = segment->writes;
	segment->writes = write;
	return write;
}

void stm_write_at(struct stm_thread *thread, stm_line here, struct stm_object *object, size_t word, uint64_t value)
{
	assert(thread->segment != NULL && word < object->words);
	begin_step(thread, here);
	struct write *write = find_write(thread->segment, object);
	if (write == NULL)
		write = lock_object(thread, object, word);
	write->word[word] = value;
	write->changed |= word < 64 ? (uint64_t)1 << word : 0;
	end_step(thread);
}

/* Registers the attempt with the object, so that a writer detects the conflict. */
static void register_reader(struct stm_thread *thread, struct stm_object *object)
{
	struct segment *segment = thread->segment;
	if ((object->readers & segment->bit) != 0)
		return;
	struct read *read = allocate(thread, sizeof *read);
	read->object = object;
	read->next = segment->reads;
	segment->reads = read;
	object->readers |= segment->bit;
}

/* gcc -fanalyzer loses the list of reads, which is the segment's, and takes its memory for lost. */
#ifndef __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif
uint64_t stm_read_at(struct stm_thread *thread, stm_line here, struct stm_object *object, size_t word)
{
	assert(thread->segment != NULL && word < object->words);
	begin_step(thread, here);
	const struct write *write = find_write(thread->segment, object);
	if (write == NULL) {
		while (world.setup.readers_detect && object->owner != NULL)
			contention_resolve(
				thread, object->owner, STMLOG_READ_MEETS_WRITE, object, overlap_at(object, word));
		register_reader(thread, object);
	}
	uint64_t value = write != NULL ? write->word[word] : object->word[word];
	end_step(thread);
	return value;
}
#ifndef __clang__
#pragma GCC diagnostic pop
#endif

void stm_become_inevitable_at(struct stm_thread *thread, stm_line here)
{
	assert(thread->segment != NULL);
	begin_step(thread, here);
	struct segment *segment = thread->segment;
	while (world.inevitable != NULL && world.inevitable != segment)
		contention_resolve(
			thread, world.inevitable, STMLOG_INEVITABLE_MEETS_SAME, NULL, STMLOG_OVERLAP_UNKNOWN);
	if (world.inevitable == NULL) {
		stmlog_became_inevitable(thread->profile.thread);
		world.inevitable = segment;
	}
	end_step(thread);
}

static void abort_asked(struct stm_thread *thread, stm_line here, const char *why, enum ending ending)
{
	begin_step(thread, here);
	if (world.inevitable != thread->segment) {
		stmlog_abort_asked(thread->profile.thread, why);
		attempt_leave(thread, ending);
	}
	end_step(thread);
}

void stm_abort_at(struct stm_thread *thread, stm_line here, const char *why)
{
	assert(thread->segment != NULL);
	abort_asked(thread, here, why, GIVE_UP);
}

void stm_retry_at(struct stm_thread *thread, stm_line here, const char *why)
{
	assert(thread->segment != NULL);
	abort_asked(thread, here, why, TRY_AGAIN);
}
