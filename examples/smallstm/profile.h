/* SPDX-License-Identifier: MIT
 *
 * All that smallstm knows of stmlog, except the hooks themselves: the example for a runtime that embeds stmlog. With
 * STMLOG_OFF these functions do nothing.
 *
 * Each thread has a handle and a shadow stack; both are NULL while no profiler is open. Each segment has the thread
 * that is in it and the number of its attempt, so that a transaction that conflicts with it can name it.
 */
#ifndef SMALLSTM_PROFILE_H
#define SMALLSTM_PROFILE_H

#include <stmlog/runtime.h>

struct profile {
	struct stmlog_thread *thread;
	struct tb_stack *stack;
};

/* Opens the profiler for the process, unless the program has done it. A report names objects by `name_object`. Returns
 * 0, or the error of stmlog_open(). */
int profile_open(bool (*name_object)(uintptr_t object, char *name, size_t size, void *arg));

/* If profile_open() has opened the profiler, closes it. The report is made now, while objects still have names. */
void profile_close(void);

/* Attach and detach the calling thread. */
struct profile profile_attach(void);
void profile_detach(void);

/* ---- the shadow stack, with the user's lines ---- */

/* NULL: no profiler is open. With STMLOG_OFF the compiler knows that, so no function of the library is linked. */
static inline struct tb_stack *profile_stack(const struct profile *profile)
{
#ifdef STMLOG_OFF
	(void)profile;
	return NULL;
#else
	return profile->stack;
#endif
}

static inline void profile_enter(const struct profile *profile, struct tb_site here)
{
	struct tb_stack *stack = profile_stack(profile);
	if (stack != NULL)
		tb_push(stack, here);
}

static inline void profile_leave(const struct profile *profile)
{
	struct tb_stack *stack = profile_stack(profile);
	if (stack != NULL)
		tb_pop(stack);
}

/* A mark to which profile_unwind() goes back, when an abort leaves functions by longjmp(). */
static inline struct tb_mark profile_mark(const struct profile *profile)
{
	const struct tb_stack *stack = profile_stack(profile);
	return stack != NULL ? tb_stack_mark(stack) : (struct tb_mark){.depth = 0};
}

static inline void profile_unwind(const struct profile *profile, struct tb_mark mark)
{
	struct tb_stack *stack = profile_stack(profile);
	if (stack != NULL)
		tb_unwind(stack, mark);
}

/* The attempt that the thread is in, by which others name it in a conflict. */
static inline struct stmlog_other profile_attempt(const struct profile *profile)
{
	return stmlog_other_make(profile->thread, stmlog_attempt(profile->thread));
}

#endif
