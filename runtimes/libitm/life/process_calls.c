/* SPDX-License-Identifier: MIT
 *
 * Calls of the program that calls.S intercepts: those that leave this process image and run no exit handlers, and those
 * by which the program filters its own system calls.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <stmlog/agent.h>

#include "agent.h"
#include "asm_shared.h"
#include "entries.h"
#include "filter.h"
#include "environment.h"
#include "life.h"

/* ---- leaving ---- */

/* Before the process image is replaced, or ends without exit handlers, the library has the recording written. The
 * environment of the next image gets the number of its generation, so that its files get names of their own. */

enum { FROM_PROCESS = -1, NO_ENVIRONMENT = -2, AFTER_LIST = -3 };

/* Where each function takes the environment of the next image from: the number of an argument, or one of the above. */
static const struct {
	const char *name;
	int environment;
} leavers[ITM_LEAVERS] = {
	[ITM_EXECVE] = {"execve", 2},
	[ITM_EXECV] = {"execv", FROM_PROCESS},
	[ITM_EXECVP] = {"execvp", FROM_PROCESS},
	[ITM_EXECVPE] = {"execvpe", 2},
	[ITM_EXECL] = {"execl", FROM_PROCESS},
	[ITM_EXECLE] = {"execle", AFTER_LIST},
	[ITM_EXECLP] = {"execlp", FROM_PROCESS},
	[ITM_FEXECVE] = {"fexecve", 2},
	[ITM_EXECVEAT] = {"execveat", 3},
	[ITM_EXIT_NOW] = {"_exit", NO_ENVIRONMENT},
	[ITM_EXIT_NOW_C] = {"_Exit", NO_ENVIRONMENT},
};

static void *real_leavers[ITM_LEAVERS];

void itm_leave_prepare(void)
{
	for (size_t i = 0; i < ITM_LEAVERS; i++)
		real_leavers[i] = itm_real(leavers[i].name);
}

static char **argument(struct itm_call *call, size_t n)
{
	return n < 6 ? &call->registers[n] : &call->stack[n - 6];
}

/* The arguments of execle: path, arguments up to a NULL, environment. */
static char **after_list(struct itm_call *call)
{
	size_t n = 1;
	while (*argument(call, n) != NULL)
		n++;
	return argument(call, n + 1);
}

static void hand_on(uint32_t index, struct itm_call *call)
{
	int where = leavers[index].environment;
	char **place = where == AFTER_LIST ? after_list(call) : where >= 0 ? argument(call, (size_t)where) : NULL;
	if (where == FROM_PROCESS)
		environ = native_next_generation(environ);
	else if (place != NULL)
		*place = (char *)native_next_generation((char **)(void *)*place);
}

/* Asks the kernel only where no filter may kill the process for that. */
bool itm_is_vfork_child(void)
{
	return !native_is_filtered() && getpid() != itm_agent.pid;
}

/* For a vfork child, which shares this memory but has another pid, only finds the real function. */
void *itm_leave(uint32_t index, struct itm_call *call)
{
	int saved = errno;
	if (AO_load(&itm_agent.has_seen) && !itm_is_vfork_child()) {
		stmlog_before_leaving();
		hand_on(index, call);
	}
	if (real_leavers[index] == NULL) /* called before the agent's constructor */
		itm_leave_prepare();
	errno = saved;
	return real_leavers[index];
}

/* ---- filters of system calls ---- */

/* The hooks of prctl() and syscall() (runtimes/native/filter.h). When the program has set a filter, the agent does not
 * ask the kernel any more how long a thread was off the processor, and leaves the slots of modules (slots.h) as they
 * are. Transactions of threads that may not read the time-stamp counter are counted, and not measured. */

static void *real_filters[2];
static void (*do_without)(enum native_forbidden forbidden);

static void look_up_filters(void)
{
	real_filters[ITM_PRCTL] = itm_real("prctl");
	real_filters[ITM_SYSCALL] = itm_real("syscall");
}

void itm_filter_prepare(void (*agent_does_without)(enum native_forbidden forbidden))
{
	do_without = agent_does_without;
	look_up_filters();
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
	if (real_filters[index] == NULL) /* called before the agent's constructor */
		look_up_filters();
	errno = saved;
	return real_filters[index];
}
