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
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_WAIT, STMLOG_NONE, NULL);
	if (world.inevitable != NULL) {
		loss.cause = (struct stmlog_cause){STMLOG_WAIT, STMLOG_INEVITABLE, "NO_SEGMENT"};
		loss.other = world.inevitable->origin;
	}
	stmlog_wait_begin(thread->profile.thread, &loss);
	while ((segment = find_free()) == NULL)
		world_wait();
	stmlog_wait_end(thread->profile.thread);
	return segment;
}

/* ---- attempts ---- */

void attempt_begin_first(struct stm_thread *thread)
{
	world_lock();
	thread->segment = wait_for_segment(thread);
	thread->segment->birth = ++world.births;
	thread->segment->status = ACTIVE;
	stmlog_start(thread->profile.thread);
	thread->segment->attempt++;
	thread->segment->origin = stmlog_origin(thread->profile.thread, TB_NO_SITE);
	world_unlock();
}

void attempt_begin_again(struct stm_thread *thread)
{
	world_lock();
	thread->segment->status = ACTIVE;
	stmlog_retry(thread->profile.thread);
	thread->segment->origin = stmlog_origin(thread->profile.thread, TB_NO_SITE);
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
	stmlog_abort(thread->profile.thread, &segment->loss);
	attempt_leave(thread, TRY_AGAIN);
}

void attempt_abort_asked(struct stm_thread *thread, const char *why, enum ending ending)
{
	assert(world.is_locked);
	const struct stmlog_loss loss = stmlog_loss_of(STMLOG_USER_ABORT, STMLOG_NONE, why);
	stmlog_abort(thread->profile.thread, &loss);
	attempt_leave(thread, ending);
}
