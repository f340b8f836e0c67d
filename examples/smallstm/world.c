/* SPDX-License-Identifier: MIT
 * Opening and closing the STM, and its objects. */
#include "world.h"

#include <errno.h>
#include <stdlib.h>

struct world world = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

int stm_configure(const struct stm_setup *setup)
{
	if (setup->segments < 1 || setup->segments > STM_SEGMENTS_MAX || (unsigned)setup->manager > STM_PAUSE)
		return -EINVAL;
	world_lock();
	for (unsigned i = 0; i < STM_SEGMENTS_MAX; i++)
		assert(world.segments[i].status == FREE);
	world.setup = *setup;
	world_unlock();
	return 0;
}

int stm_open(void)
{
	static const struct stmlog_setup profiler = {.runtime = "smallstm", .name_object = objects_name};
	int error = profile_open(&profiler);
	if (error != 0)
		return error;
	for (unsigned i = 0; i < STM_SEGMENTS_MAX; i++)
		world.segments[i].bit = (uint64_t)1 << i;
	/* The oldest transaction is never aborted, so one transaction always makes progress. */
	return stm_configure(&(struct stm_setup){.segments = STM_SEGMENTS_MAX, .manager = STM_ABORT_YOUNGER});
}

void stm_close(void)
{
	profile_close();
	objects_destroy_all();
}

unsigned stm_waiting(void)
{
	world_lock();
	unsigned waiting = world.waiting;
	world_unlock();
	return waiting;
}

/* ---- objects ---- */

struct stm_object *stm_object_create(const char *name, size_t words)
{
	struct stm_object *object = objects_create(name, sizeof *object + words * sizeof object->word[0]);
	if (object != NULL)
		object->words = words;
	return object;
}

/* Attempts that begin later do not matter: no transaction can find the object any more, unless the program is wrong. */
static void wait_for_attempts_under_way(void)
{
	uint64_t attempt[STM_SEGMENTS_MAX];
	const unsigned segments = world.setup.segments;
	for (unsigned i = 0; i < segments; i++)
		attempt[i] = world.segments[i].attempt;
	for (unsigned i = 0; i < segments; i++)
		while (world.segments[i].status != FREE && world.segments[i].attempt == attempt[i])
			world_wait();
}

void stm_object_destroy(struct stm_thread *thread, struct stm_object **object)
{
	const struct stmlog_loss work = stmlog_loss_of(STMLOG_OTHER_WORK, STMLOG_NONE, "grace period");
	assert(thread->segment == NULL);
	if (*object == NULL)
		return;
	objects_remove(&(*object)->listed);
	stmlog_wait_begin(thread->profile.thread, &work);
	world_lock();
	wait_for_attempts_under_way();
	world_unlock();
	stmlog_wait_end(thread->profile.thread);
	free(*object);
	*object = NULL;
}
