/* SPDX-License-Identifier: MIT
 * Knows the calls that set a filter, and has the agent make no system calls of its own. */
#include "filter.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <stmlog/runtime.h>

#include "asm_shared.h"
#include "filtered.h"
#include "real_functions.h"

static void *real[2];
static void (*give_up_calls)(void);

static void look_up(void)
{
	real[ITM_PRCTL] = itm_real("prctl");
	real[ITM_SYSCALL] = itm_real("syscall");
}

void itm_filter_prepare(void (*give_up)(void))
{
	give_up_calls = give_up;
	look_up();
}

/* Whether prctl() with these arguments sets a filter. */
static bool is_filter(char *const arguments[])
{
	return (int)(intptr_t)arguments[0] == PR_SET_SECCOMP;
}

/* Whether syscall() with these arguments does. */
static bool is_call_of_filter(char *const arguments[])
{
	switch ((long)(intptr_t)arguments[0]) {
	case SYS_seccomp:
		return (unsigned)(uintptr_t)arguments[1] <= SECCOMP_SET_MODE_FILTER;
	case SYS_prctl:
		return is_filter(arguments + 1);
	default:
		return false;
	}
}

static void make_no_calls(void)
{
	AO_store(&itm_filtered, 1);
	if (give_up_calls != NULL)
		give_up_calls();
	stmlog_before_filter();
}

/* A vfork child, which shares this memory but has another pid, filters its own calls only. */
void *itm_filter(uint32_t index, struct itm_call *call)
{
	bool sets = index == ITM_PRCTL ? is_filter(call->registers) : is_call_of_filter(call->registers);
	int saved = errno;
	if (sets && !itm_is_filtered() && !itm_is_vfork_child())
		make_no_calls();
	if (real[index] == NULL) /* called before the agent's constructor */
		look_up();
	errno = saved;
	return real[index];
}
