/* SPDX-License-Identifier: MIT
 * Opening and closing the profiler, and attaching threads to it. With STMLOG_OFF all of this does nothing. */
#include "profile.h"

#include <errno.h>

#ifdef STMLOG_OFF

int profile_open(bool (*name_object)(uintptr_t object, char *name, size_t size, void *arg))
{
	(void)name_object;
	return 0;
}

void profile_close(void)
{
}

struct profile profile_attach(void)
{
	return (struct profile){.thread = NULL, .stack = NULL};
}

void profile_detach(void)
{
}

#else

static struct stmlog_setup setup;
static bool is_ours; /* opened here; else another runtime, or the program, has opened the profiler */

int profile_open(bool (*name_object)(uintptr_t object, char *name, size_t size, void *arg))
{
	setup = (struct stmlog_setup){.runtime = "smallstm", .name_object = name_object};
	int error = stmlog_open(&setup);
	is_ours = error == 0;
	return error == -EALREADY ? 0 : error;
}

void profile_close(void)
{
	if (is_ours)
		stmlog_close();
	else
		stmlog_leave(&setup);
	is_ours = false;
}

struct profile profile_attach(void)
{
	struct stmlog_thread *thread = stmlog_thread_attach();
	stmlog_set_runtime(thread, setup.runtime);
	return (struct profile){.thread = thread, .stack = stmlog_thread_stack(thread)};
}

void profile_detach(void)
{
	stmlog_thread_detach();
}

#endif
