/* SPDX-License-Identifier: MIT
 * The table of TVars with numbers. */
#include "objects.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "real.h"
#include "labels.h"
#include "requires.h"

#define KIND_BYTES 96

struct object {
	uintptr_t tvar;       /* 0: it has died */
	uintptr_t created_at; /* creation_of() */
	uint64_t woke;        /* its latest version that has caused a futile wake */
	char label[LABEL_BYTES];
	char kind[KIND_BYTES]; /* the constructor of its value when it was first found evaluated; "": not known */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object objects[OBJECTS_MAX];
static size_t len;

static size_t find(const struct hs_tvar *tvar)
{
	size_t index = 0;
	while (index < len && objects[index].tvar != (uintptr_t)tvar)
		index++;
	return index;
}

static void find_kind(struct object *object, const struct hs_tvar *tvar)
{
	const char *kind = hs_constructor(hs_target(tvar->value)->info);
	if (kind != NULL)
		memcpy(object->kind, kind, strnlen(kind, KIND_BYTES - 1));
}

/* Requires that there is room. */
static void add(const struct hs_tvar *tvar)
{
	REQUIRES(len < OBJECTS_MAX);
	struct object *object = &objects[len++];
	*object = (struct object){.tvar = (uintptr_t)tvar, .created_at = creation_of(tvar)};
	labels_find((uintptr_t)tvar, object->label);
}

void objects_label(const struct hs_tvar *tvar, const char *label)
{
	labels_set((uintptr_t)tvar, label);
	pthread_mutex_lock(&lock);
	size_t index = find(tvar);
	if (index < len)
		labels_find((uintptr_t)tvar, objects[index].label);
	pthread_mutex_unlock(&lock);
}

uintptr_t objects_number(const struct hs_tvar *tvar)
{
	pthread_mutex_lock(&lock);
	size_t index = find(tvar);
	if (index == len && len < OBJECTS_MAX)
		add(tvar);
	if (index < len && objects[index].kind[0] == '\0')
		find_kind(&objects[index], tvar);
	uintptr_t number = index < len ? index + 1 : 0;
	pthread_mutex_unlock(&lock);
	return number;
}

bool objects_has_woken(uintptr_t number, uint64_t version)
{
	if (number == 0)
		return false;
	pthread_mutex_lock(&lock);
	REQUIRES(number <= len);
	bool has_woken = objects[number - 1].woke == version;
	objects[number - 1].woke = version;
	pthread_mutex_unlock(&lock);
	return has_woken;
}

bool objects_name(uintptr_t place, char *name, size_t size, void *arg)
{
	(void)arg;
	uintptr_t number = place / objects_place(1);
	pthread_mutex_lock(&lock);
	bool is_known = number != 0 && number <= len;
	if (is_known) {
		const struct object *object = &objects[number - 1];
		bool has_label = object->label[0] != '\0';
		snprintf(name, size, "%s%sTVar #%u%s%s%s", object->label, has_label ? " (" : "", (unsigned)number,
			object->kind[0] != '\0' ? " of " : "", object->kind, has_label ? ")" : "");
	}
	pthread_mutex_unlock(&lock);
	return is_known;
}

static uintptr_t created_at(uintptr_t number)
{
	pthread_mutex_lock(&lock);
	uintptr_t code = number != 0 && number <= len ? objects[number - 1].created_at : 0;
	pthread_mutex_unlock(&lock);
	return code;
}

bool objects_find_block(uintptr_t place, struct stmlog_block *block, void *arg)
{
	(void)arg;
	uintptr_t code = created_at(place / objects_place(1));
	if (code == 0)
		return false;
	block->start = place;
	block->size = objects_place(1);
	block->is_freed = false;
	block->allocated.len = 1;
	block->allocated.is_whole = false;
	block->allocated.sites[0] = tb_site_make(TB_CODE_ADDRESS, code + 1);
	return true;
}

void objects_visit(void (*visit)(void *arg, uintptr_t *tvar), void *arg)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < len; i++)
		if (objects[i].tvar != 0)
			visit(arg, &objects[i].tvar);
	pthread_mutex_unlock(&lock);
}

void objects_after_fork(void)
{
	pthread_mutex_init(&lock, NULL); /* C may fork while another OS thread holds it; an object may lack its name */
}
