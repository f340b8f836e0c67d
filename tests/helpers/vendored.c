/* SPDX-License-Identifier: MIT
 * A program that has the header for vendoring in two of its files, of which one is C++ (vendored_other.cc). Two threads
 * conflict. Prints whether it is profiled; its status is 0 in either case. */
#include <pthread.h>
#include <stdio.h>

#include "stmlog-vendor.h"

void lose(struct stmlog_thread *thread, struct stmlog_other other);

static struct stmlog_thread *first;

static void *be_second(void *unused)
{
	struct stmlog_thread *thread = stmlog_thread_attach();
	stmlog_push(stmlog_thread_stack(thread), TB_HERE());
	lose(thread, stmlog_other_make(first, stmlog_attempt(first)));
	stmlog_pop(stmlog_thread_stack(thread));
	stmlog_thread_detach();
	return unused;
}

static bool names_no_object(uintptr_t object, char *name, size_t size, void *arg)
{
	(void)object, (void)name, (void)size, (void)arg;
	return false;
}

int main(void)
{
	struct stmlog_setup setup = {.runtime = "vendored", .name_object = names_no_object};
	pthread_t second;
	int error = stmlog_open(&setup);
	first = stmlog_thread_attach();
	stmlog_push(stmlog_thread_stack(first), TB_HERE());
	stmlog_start(first);
	stmlog_wrote(first, 16);
	if (pthread_create(&second, NULL, be_second, NULL) != 0 || pthread_join(second, NULL) != 0)
		return 1;
	stmlog_commit(first);
	stmlog_pop(stmlog_thread_stack(first));
	printf("%d %s\n", error, first != NULL ? "profiled" : "not profiled");
	return stmlog_current(stmlog_thread_stack(first)) != TB_EMPTY && first != NULL;
}
