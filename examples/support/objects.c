/* SPDX-License-Identifier: MIT
 * The objects are a linked list, which a lock guards. */
#include "objects.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *objects;

void *objects_create(const char *name, size_t size)
{
	assert(size >= sizeof(struct object));
	struct object *object = calloc(1, size);
	if (object == NULL)
		return NULL;
	object->name = name;
	object->size = size;
	pthread_mutex_lock(&lock);
	object->next = objects;
	if (object->next != NULL)
		object->next->previous = object;
	objects = object;
	pthread_mutex_unlock(&lock);
	return object;
}

void objects_remove(struct object *object)
{
	pthread_mutex_lock(&lock);
	if (object->next != NULL)
		object->next->previous = object->previous;
	if (object->previous != NULL)
		object->previous->next = object->next;
	else
		objects = object->next;
	pthread_mutex_unlock(&lock);
}

void objects_destroy_all(void)
{
	while (objects != NULL) {
		struct object *object = objects;
		objects = object->next;
		free(object);
	}
}

/* The lock may never be released: a signal that kills the process may have interrupted its owner, and the report is
 * made in the handler. */
bool objects_name(uintptr_t address, char *name, size_t size, void *unused)
{
	(void)unused;
	if (pthread_mutex_trylock(&lock) != 0)
		return false;
	const struct object *object = objects;
	while (object != NULL && address - (uintptr_t)object >= object->size)
		object = object->next;
	bool is_known = object != NULL && object->name != NULL && size > 0;
	if (is_known) {
		strncpy(name, object->name, size - 1);
		name[size - 1] = '\0';
	}
	pthread_mutex_unlock(&lock);
	return is_known;
}
