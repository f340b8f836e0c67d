/* SPDX-License-Identifier: MIT
 * One attempt of a transaction, from the segment that it runs in to its end. */
#include "world.h"

#include <stdlib.h>

/* ---- segments ---- */

static struct segment *find_free(void)
{
	for (unsigned i = 0; i < world.setup.segments; i++)
		if (world.segments[i].status == FREE)
			return &world.segments[i];
	return NULL;
}

static struct segment *wait_for_segment(struct stm_thread *thread)
{
	struct segment *segment = find_free();
	if (segment != NULL)
		return segment;
	if (world.inevitable != NULL)
		stmlog_wait_inevitable(thread->profile.thread, world.inevitable->who, "NO_SEGMENT");
	else
		stmlog_wait_segment(thread->profile.thread);
	while ((segment = find_free()) == NULL)
		world_wait();
	stmlog_wait_end(thread->profile.thread);
	return segment;
}

/* ---- attempts ---- */

/* The attempt that the thread is in, by which others name it in a conflict. */
static struct stmlog_other name_of_attempt(const struct profile *profile)
{
	return stmlog_other_make(profile->thread, stmlog_attempt(profile->thread));
}

void attempt_begin_first(struct stm_thread *thread)
{
	world_lock();
	thread->segment = wait_for_segment(thread);
	thread->segment->birth = ++world.births;
	thread->segment->status = ACTIVE;
	stmlog_start(thread->profile.thread);
	thread->segment->attempt++;
	thread->segment->who = name_of_attempt(&thread->profile);
	world_unlock();
}

void attempt_begin_again(struct stm_thread *thread)
{
	world_lock();
	thread->segment->status = ACTIVE;
	stmlog_retry(thread->profile.thread);
	thread->segment->who = name_of_attempt(&thread->profile);
	world_unlock();
}

/* Releases all that the attempt holds. From here on the segment's attempt is another one. */
static void end_attempt(struct segment *segment)
{
	for (struct write *write; (write = segment->writes) != NULL;) {
		segment->writes = write->next;
		if (write->object->owner == segment)
			write->object->owner = NULL;
		free(write);
	}
	for (struct read *read; (read = segment->reads) != NULL;) {
		segment->reads = read->next;
		read->object->readers &= ~segment->bit;
		free(read);
	}
	if (world.inevitable == segment)
		world.inevitable = NULL;
	segment->attempt++;
	world_has_changed();
}

static void leave_segment(struct stm_thread *thread)
{
	thread->segment->status = FREE;
	thread->segment = NULL;
	world_has_changed();
}

void attempt_commit(struct stm_thread *thread)
{
	assert(world.is_locked);
	stmlog_commit(thread->profile.thread);
	end_attempt(thread->segment);
	leave_segment(thread);
	world_unlock();
}

void attempt_abandon(struct stm_thread *thread)
{
	world_lock();
	end_attempt(thread->segment);
	leave_segment(thread);
	world_unlock();
}

void attempt_leave(struct stm_thread *thread, enum ending ending)
{
	assert(world.is_locked);
	end_attempt(thread->segment);
	if (ending == GIVE_UP)
		leave_segment(thread);
	world_unlock();
	profile_unwind(&thread->profile);
	thread->ending = ending;
	longjmp(thread->start, 1);
}

void attempt_check(struct stm_thread *thread)
{
	assert(world.is_locked);
	struct segment *segment = thread->segment;
	if (segment->status != ABORTED)
		return;
	stmlog_aborted_by(thread->profile.thread, segment->aborter, segment->aborted_over, NULL);
	attempt_leave(thread, TRY_AGAIN);
}
