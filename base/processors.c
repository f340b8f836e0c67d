/* SPDX-License-Identifier: MIT
 * Counts the processors that sched_getaffinity() returns, however many the machine has. */
#include "processors.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

/* The kernel refuses a set that is smaller than its own highest number of processors. A cpu_set_t may be too small. */
enum { SET_BYTES = 8192 };

size_t processors_usable(void)
{
	static const size_t words = SET_BYTES / sizeof(cpu_set_t);
	cpu_set_t set[SET_BYTES / sizeof(cpu_set_t)];
	int saved = errno;
	CPU_ZERO_S(words * sizeof *set, set);
	size_t count = 0;
	if (sched_getaffinity(getpid(), sizeof set, set) == 0)
		count = (size_t)CPU_COUNT_S(sizeof set, set);
	errno = saved;
	return count;
}
