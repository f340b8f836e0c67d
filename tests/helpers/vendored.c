/* SPDX-License-Identifier: MIT
 * A program that has the header for vendoring in two of its files, of which one is C++ (vendored_other.cc). Two threads
 * conflict. Prints whether it is profiled; its status is 0 in either case. */
#include <pthread.h>
#include <stdio.h>

#include "stmlog-vendor.h"

void lose(struct stmlog_thread *thread, uint64_t other);

static struct stmlog_thread *first;
static uint64_t written; /* the origin of its write */

static void *be_second(void *unused)
{
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	stmlog_push(thread, TB_HERE());
	lose(thread, written);
	stmlog_pop(thread);
	stmlog_thread_close(&thread);
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
	first = stmlog_thread_open(NULL);
	stmlog_push(first, TB_HERE());
	stmlog_start(first);
	written = stmlog_origin(first, TB_NO_SITE);
	if (pthread_create(&second, NULL, be_second, NULL) != 0 || pthread_join(second, NULL) != 0)
		return 1;
	stmlog_commit(first);
	stmlog_pop(first);
	printf("%d %s\n", error, first != NULL ? "profiled" : "not profiled");
	return tb_stack_mark(stmlog_thread_stack(first)).depth != 0;
}
