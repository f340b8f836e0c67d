/* SPDX-License-Identifier: MIT
 *
 * The hooks of prctl() and syscall(), by which the program filters its own system calls (runtimes/native/filter.h).
 * From then on the agent does not ask the kernel any more how long a thread was off the processor, and leaves the slots
 * of modules (slots.h) as they are. Transactions of threads that may not read the time-stamp counter are counted, and
 * not measured.
 */
#include "calls.h"

#include <errno.h>
#include <stddef.h>

#include <sys/syscall.h>

#include "asm_shared.h"
#include "entries.h"
#include "filter.h"

static void *real[2];
static void (*do_without)(enum native_forbidden forbidden);

static void look_up(void)
{
	real[ITM_PRCTL] = itm_real("prctl");
	real[ITM_SYSCALL] = itm_real("syscall");
}

void itm_filter_prepare(void (*agent_does_without)(enum native_forbidden forbidden))
{
	do_without = agent_does_without;
	look_up();
}

static enum native_forbidden forbidden_by(uint32_t index, char *const arguments[])
{
	long first = (long)arguments[0], second = (long)arguments[1];
	return index == ITM_PRCTL ? native_forbidden_by(SYS_prctl, first, second)
				  : native_forbidden_by(first, second, (long)arguments[2]);
}

/* A vfork child, which shares this memory but has another pid, filters its own calls only. */
void *itm_filter(uint32_t index, struct itm_call *call)
{
	enum native_forbidden forbidden = forbidden_by(index, call->registers);
	int saved = errno;
	if (forbidden != NATIVE_NOTHING_FORBIDDEN && !itm_is_vfork_child())
		native_before_filter(forbidden, do_without);
	if (real[index] == NULL) /* called before the agent's constructor */
		look_up();
	errno = saved;
	return real[index];
}
