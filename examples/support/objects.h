/* SPDX-License-Identifier: MIT
 *
 * The list of all objects of the STM, so that reports show their names, and stm_close() destroys those that are left.
 * Any thread may call these functions. */
#ifndef EXAMPLES_OBJECTS_H
#define EXAMPLES_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first member of each struct stm_object. */
struct object {
	const char *name; /* or NULL */
	size_t size;      /* in bytes, with this head */
	struct object *next, *previous;
};

/* Returns an object of `size` bytes, which are 0 but for its head, and adds it to the list. NULL: no memory.
 * Requires: size >= sizeof(struct object). */
void *objects_create(const char *name, size_t size);

/* Removes the object from the list. The caller frees it. */
void objects_remove(struct object *object);

void objects_destroy_all(void);

/* For reports: the name of the object that contains the address. Returns false if there is none, or it has no name. */
bool objects_name(uintptr_t address, char *name, size_t size, void *unused);

#endif
