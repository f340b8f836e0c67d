/* SPDX-License-Identifier: MIT
 * Writes the recording before the process image is left, and prepares for filters of system calls. */
#include "leave.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include <stmlog/agent.h>

#include "capability.h"
#include "requires.h"
#include "filter.h"
#include "environment.h"
#include "real.h"
#include "lane.h"

/* The process in which the module is open. */
static volatile pid_t opened_in;

void leave_open(void)
{
	opened_in = getpid();
	ghc_leaving = leave_image;
	ghc_filtering = leave_before_call;
}

/* Asks the kernel only where no filter may kill the process for that. */
static bool is_vfork_child(void)
{
	return !native_is_filtered() && opened_in != getpid();
}

/* A lane is opened when a transaction begins; a forked child has forgotten those of its parent. */
static bool has_transacted(void)
{
	for (size_t i = 0; i < capabilities_len(); i++)
		if (capability_at(i)->lanes[0] != NULL && capability_at(i)->lanes[0]->log != NULL)
			return true;
	return false;
}

void leave_after_fork(void)
{
	REQUIRES(ghc_leaving == leave_image);
	if (!native_is_filtered())
		opened_in = getpid();
}

char **leave_image(char *const *environment)
{
	int saved = errno;
	char **next = (char **)(uintptr_t)environment;
	if (!has_transacted() || is_vfork_child())
		return next;
	stmlog_before_leaving();
	next = native_next_generation(environment);
	errno = saved;
	return next;
}

void leave_before_call(long number, long first, long second)
{
	enum native_forbidden forbidden = native_forbidden_by(number, first, second);
	if (forbidden != NATIVE_NOTHING_FORBIDDEN && !is_vfork_child())
		native_before_filter(forbidden, NULL);
}
