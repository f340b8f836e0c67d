/* SPDX-License-Identifier: MIT */
#include "hooks.h"

#include "stmlog-vendor.h"

#include "loops.h"

struct stmlog_thread *vendored_attach(void)
{
	return stmlog_thread_open(NULL);
}

void vendored_origins(uint64_t times, void *thread)
{
	origins(times, thread);
}

void vendored_commits(uint64_t times, void *thread)
{
	commits(times, thread);
}
