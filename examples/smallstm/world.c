/* SPDX-License-Identifier: MIT
 * Opening and closing the STM, and its objects. */
#include "attempt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct world world = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* For reports. The object may have been destroyed. The lock may never be released: a signal that kills the process may
 * have interrupted its owner, and the report is made in the handler. */
static bool name_object(uintptr_t address, char *name, size_t size, void *unused)
{
	(void)unused;
	if (pthread_mutex_trylock(&world.lock) != 0)
		return false;
	const struct stm_object *object = world.objects;
	while (object != NULL && (uintptr_t)object != address)
		object = object->next;
	bool is_known = object != NULL && object->name != NULL && size > 0;
	if (is_known) {
		strncpy(name, object->name, size - 1);
		name[size - 1] = '\0';
	}
	world_unlock();
	return is_known;
}

int stm_configure(const struct stm_setup *setup)
{
	if (setup->segments < 1 || setup->segments > STM_SEGMENTS_MAX || (unsigned)setup->manager > STM_PAUSE) {
		errno = EINVAL;
		return -1;
	}
	world_lock();
	world.setup = *setup;
	world_unlock();
	return 0;
}

int stm_open(const struct stm_setup *setup)
{
	if (stm_configure(setup) != 0)
		return -1;
	int error = profile_open(name_object);
	if (error != 0) {
		errno = -error;
		return -1;
	}
	for (unsigned i = 0; i < STM_SEGMENTS_MAX; i++)
		world.segments[i].bit = (uint64_t)1 << i;
	return 0;
}

void stm_close(void)
{
	profile_close();
	while (world.objects != NULL) {
		struct stm_object *object = world.objects;
		world.objects = object->next;
		free(object);
	}
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
	struct stm_object *object = calloc(1, sizeof *object + words * sizeof object->word[0]);
	if (object == NULL)
		return NULL;
	object->name = name;
	object->words = words;
	world_lock();
	object->next = world.objects;
	if (object->next != NULL)
		object->next->previous = object;
	world.objects = object;
	world_unlock();
	return object;
}

static void unlink_object(struct stm_object *object)
{
	if (object->next != NULL)
		object->next->previous = object->previous;
	if (object->previous != NULL)
		object->previous->next = object->next;
	else
		world.objects = object->next;
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
	if (*object == NULL)
		return;
	stmlog_other_begin(thread->profile.thread);
	world_lock();
	unlink_object(*object);
	wait_for_attempts_under_way();
	world_unlock();
	stmlog_other_end(thread->profile.thread);
	free(*object);
	*object = NULL;
}
