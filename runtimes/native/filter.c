/* SPDX-License-Identifier: MIT
 * Recognises filters of system calls, and prepares for them. */
#include "filter.h"

#include <errno.h>
#include <stddef.h>

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <stmlog/agent.h>

volatile AO_t native_filtered;

/* The kernel looks at the lower half of each argument only. */
static enum native_forbidden forbidden_by_prctl(int option, int argument)
{
	switch (option) {
	case PR_SET_SECCOMP:
		return argument == SECCOMP_MODE_STRICT ? NATIVE_NO_CLOCK : NATIVE_NO_CALLS;
	case PR_SET_TSC:
		return argument == PR_TSC_SIGSEGV ? NATIVE_NO_CLOCK : NATIVE_NOTHING_FORBIDDEN;
	default:
		return NATIVE_NOTHING_FORBIDDEN;
	}
}

enum native_forbidden native_forbidden_by(long number, long first, long second)
{
	if ((int)number == SYS_prctl)
		return forbidden_by_prctl((int)first, (int)second);
	if ((int)number != SYS_seccomp || (unsigned)first > SECCOMP_SET_MODE_FILTER)
		return NATIVE_NOTHING_FORBIDDEN;
	return (int)first == SECCOMP_SET_MODE_STRICT ? NATIVE_NO_CLOCK : NATIVE_NO_CALLS;
}

void native_before_filter(enum native_forbidden forbidden, void (*do_without)(enum native_forbidden forbidden))
{
	int saved = errno;
	if ((AO_t)forbidden <= AO_load(&native_filtered))
		return;
	if (forbidden == NATIVE_NO_CLOCK)
		stmlog_read_clock_by_call();
	for (AO_t next = AO_load(&native_filtered) + 1; next <= (AO_t)forbidden; next++) {
		AO_store(&native_filtered, next);
		if (do_without != NULL)
			do_without((enum native_forbidden)next);
	}
	stmlog_before_filter();
	errno = saved;
}
