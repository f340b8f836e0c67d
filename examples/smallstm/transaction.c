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
	profile_detach(&(*thread)->profile);
	free(*thread);
	*thread = NULL;
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
		contention_resolve(thread, &(struct conflict){reader, WRITTEN_AND_READ, write->object, write->origin,
						   reader->origin, STMLOG_OVERLAP_UNKNOWN});
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
	run_attempts(thread, body, arg);
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
		attempt_abort_asked(thread, "NO_MEMORY", GIVE_UP);
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

/* The conflict with the object's owner. It is a false one if the owner has not written this word up to now: objects are
 * locked as a whole. */
static struct conflict conflict_with_owner(struct stm_object *object, size_t word, enum conflict_kind kind)
{
	const struct write *write = find_write(object->owner, object);
	bool is_same = (write->changed >> word & 1) != 0;
	return (struct conflict){object->owner, kind, object, 0, write->origin,
		object->words > 64 ? STMLOG_OVERLAP_UNKNOWN : (is_same ? STMLOG_OVERLAP_SAME : STMLOG_OVERLAP_STRIPE)};
}

/* Locks the object for the attempt's first write. Its origin is there before the lock is visible to others. */
static struct write *lock_object(struct stm_thread *thread, struct stm_object *object, size_t word)
{
	struct segment *segment = thread->segment;
	while (object->owner != NULL) {
		struct conflict conflict = conflict_with_owner(object, word, WRITTEN_BY_BOTH);
		contention_resolve(thread, &conflict);
	}
	struct write *write = allocate(thread, sizeof *write + object->words * sizeof write->word[0]);
	write->origin = stmlog_origin(thread->profile.thread, TB_NO_SITE);
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
		while (world.setup.readers_detect && object->owner != NULL) {
			struct conflict conflict = conflict_with_owner(object, word, READ_AND_WRITTEN);
			contention_resolve(thread, &conflict);
		}
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
		contention_resolve(thread, &(struct conflict){world.inevitable, BOTH_INEVITABLE, NULL, 0,
						   world.inevitable->origin, STMLOG_OVERLAP_UNKNOWN});
	if (world.inevitable == NULL) {
		segment->origin = stmlog_became_inevitable(thread->profile.thread, TB_NO_SITE);
		world.inevitable = segment;
	}
	end_step(thread);
}

static void abort_asked(struct stm_thread *thread, stm_line here, const char *why, enum ending ending)
{
	begin_step(thread, here);
	if (world.inevitable != thread->segment)
		attempt_abort_asked(thread, why, ending);
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
