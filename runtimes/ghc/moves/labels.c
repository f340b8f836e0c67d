/* SPDX-License-Identifier: MIT
 * A table of labels by the addresses of their TVars. The label of a TVar that has died makes room for another one. */
#include "labels.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct label {
	uintptr_t tvar; /* 0: none, or it has died */
	char text[LABEL_BYTES];
} labels[LABELS_MAX];
static size_t used; /* [0, used) were set once */

static struct label *find(uintptr_t tvar)
{
	for (size_t i = 0; i < used; i++)
		if (labels[i].tvar == tvar)
			return &labels[i];
	return NULL;
}

/* NULL: there is no room. */
static struct label *find_free(void)
{
	struct label *dead = find(0);
	if (dead != NULL)
		return dead;
	return used < LABELS_MAX ? &labels[used++] : NULL;
}

void labels_set(uintptr_t tvar, const char *text)
{
	pthread_mutex_lock(&lock);
	struct label *label = find(tvar);
	if (label == NULL)
		label = find_free();
	if (label != NULL) {
		*label = (struct label){.tvar = tvar};
		memcpy(label->text, text, strnlen(text, LABEL_BYTES - 1));
	}
	pthread_mutex_unlock(&lock);
}

bool labels_find(uintptr_t tvar, char text[LABEL_BYTES])
{
	pthread_mutex_lock(&lock);
	const struct label *label = find(tvar);
	memset(text, 0, LABEL_BYTES);
	if (label != NULL)
		memcpy(text, label->text, LABEL_BYTES);
	pthread_mutex_unlock(&lock);
	return label != NULL;
}

void labels_visit(void (*visit)(void *arg, uintptr_t *tvar), void *arg)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < used; i++)
		if (labels[i].tvar != 0)
			visit(arg, &labels[i].tvar);
	pthread_mutex_unlock(&lock);
}

void labels_after_fork(void)
{
	pthread_mutex_init(&lock, NULL); /* C may fork while another OS thread holds it; a label may be cut off */
}
