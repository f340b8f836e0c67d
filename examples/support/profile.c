/* SPDX-License-Identifier: MIT
 * Opening and closing the profiler, and attaching threads to it. */
#include "profile.h"

#include <errno.h>

static const struct stmlog_setup *runtime;
static bool is_ours; /* opened here; else another runtime, or the program, has opened the profiler */

int profile_open(const struct stmlog_setup *setup)
{
	runtime = setup;
	int error = stmlog_open(setup);
	is_ours = error == 0;
	return error == -EALREADY ? 0 : error;
}

void profile_close(void)
{
	if (is_ours)
		stmlog_close();
	else
		stmlog_leave(runtime);
	is_ours = false;
}

struct profile profile_attach(void)
{
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	stmlog_set_runtime(thread, runtime != NULL ? runtime->runtime : NULL);
	return (struct profile){.thread = thread, .stack = stmlog_thread_stack(thread)};
}

void profile_detach(struct profile *profile)
{
	profile->stack = NULL;
	stmlog_thread_close(&profile->thread);
}
