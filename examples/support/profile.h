/* SPDX-License-Identifier: MIT
 *
 * What both STMs know of stmlog beside their hooks: how they open it, attach threads to it, and keep a shadow stack
 * with the program's lines. With STMLOG_OFF these functions do nothing.
 *
 * Each thread has a handle and a shadow stack; both are NULL while no profiler is open.
 */
#ifndef EXAMPLES_PROFILE_H
#define EXAMPLES_PROFILE_H

#include <stmlog/agent.h>

#include "stm.h"

struct profile {
	struct stmlog_thread *thread;
	struct tb_stack *stack;
	struct tb_mark mark; /* of the stack when the transaction began */
};

/* Opens the profiler for the process, unless the program has done it: then it gets to know a further runtime. `setup`
 * has static storage. Returns 0, or the error of stmlog_open(). */
int profile_open(const struct stmlog_setup *setup);

/* If profile_open() has opened the profiler, closes it. The report is made now, while objects still have names. */
void profile_close(void);

/* Opens and closes the calling thread's handle. */
struct profile profile_attach(void);
void profile_detach(struct profile *profile);

/* profile_enter(): the traceback has this line of the program until the matching profile_leave().
 * profile_mark(): remembers what is on the shadow stack; profile_unwind() removes what came later. For an abort, which
 * leaves functions by longjmp(). */
#ifdef STMLOG_OFF
#define profile_enter(profile, here) ((void)(profile), (void)(here))
#define profile_leave(profile) ((void)(profile))
#define profile_mark(profile) ((void)(profile))
#define profile_unwind(profile) ((void)(profile))
#else
static inline void profile_enter(const struct profile *profile, stm_line here)
{
	if (profile->stack != NULL)
		tb_push(profile->stack, tb_place_site(here));
}

static inline void profile_leave(const struct profile *profile)
{
	if (profile->stack != NULL)
		tb_pop(profile->stack);
}

static inline void profile_mark(struct profile *profile)
{
	if (profile->stack != NULL)
		profile->mark = tb_stack_mark(profile->stack);
}

static inline void profile_unwind(const struct profile *profile)
{
	if (profile->stack != NULL)
		tb_unwind(profile->stack, profile->mark);
}
#endif

#endif
