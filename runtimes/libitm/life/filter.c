/* SPDX-License-Identifier: MIT
 *
 * Recognises the calls by which the program filters its own system calls: prctl() and syscall(), with the arguments for
 * seccomp(2). The filter may kill the program for a call that the program itself never makes. So from then on the agent
 * does not ask the kernel any more how long a thread was off the processor, and leaves the slots of modules (slots.h)
 * as they are; and the library makes outputs in its own thread (stmlog_before_filter()).
 *
 * Strict seccomp and prctl(PR_SET_TSC) also forbid the calling thread, and those that it begins, to read the time-stamp
 * counter. Transactions of threads that this may apply to are counted from then on, and not measured.
 */
#include "calls.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <stmlog/agent.h>

#include "asm_shared.h"
#include "real_functions.h"

static void *real[2];
static void (*do_without)(enum itm_forbidden forbidden);

static void look_up(void)
{
	real[ITM_PRCTL] = itm_real("prctl");
	real[ITM_SYSCALL] = itm_real("syscall");
}

void itm_filter_prepare(void (*agent_does_without)(enum itm_forbidden forbidden))
{
	do_without = agent_does_without;
	look_up();
}

static int number(const char *argument)
{
	return (int)(intptr_t)argument;
}

/* Tells what prctl() with these arguments forbids. */
static enum itm_forbidden forbidden_by_prctl(char *const arguments[])
{
	switch (number(arguments[0])) {
	case PR_SET_SECCOMP:
		return number(arguments[1]) == SECCOMP_MODE_STRICT ? ITM_NO_CLOCK : ITM_NO_CALLS;
	case PR_SET_TSC:
		return number(arguments[1]) == PR_TSC_SIGSEGV ? ITM_NO_CLOCK : ITM_NOTHING_FORBIDDEN;
	default:
		return ITM_NOTHING_FORBIDDEN;
	}
}

/* Tells what syscall() with these arguments forbids. */
static enum itm_forbidden forbidden_by_syscall(char *const arguments[])
{
	if (number(arguments[0]) == SYS_prctl)
		return forbidden_by_prctl(arguments + 1);
	if (number(arguments[0]) != SYS_seccomp || (unsigned)number(arguments[1]) > SECCOMP_SET_MODE_FILTER)
		return ITM_NOTHING_FORBIDDEN;
	return number(arguments[1]) == SECCOMP_SET_MODE_STRICT ? ITM_NO_CLOCK : ITM_NO_CALLS;
}

static void forbid(enum itm_forbidden forbidden)
{
	if (forbidden == ITM_NO_CLOCK)
		stmlog_read_clock_by_call();
	for (AO_t next = AO_load(&itm_filtered) + 1; next <= (AO_t)forbidden; next++) {
		AO_store(&itm_filtered, next);
		if (do_without != NULL)
			do_without((enum itm_forbidden)next);
	}
	stmlog_before_filter();
}

/* A vfork child, which shares this memory but has another pid, filters its own calls only. */
void *itm_filter(uint32_t index, struct itm_call *call)
{
	enum itm_forbidden forbidden =
		index == ITM_PRCTL ? forbidden_by_prctl(call->registers) : forbidden_by_syscall(call->registers);
	int saved = errno;
	if ((AO_t)forbidden > AO_load(&itm_filtered) && !itm_is_vfork_child())
		forbid(forbidden);
	if (real[index] == NULL) /* called before the agent's constructor */
		look_up();
	errno = saved;
	return real[index];
}
