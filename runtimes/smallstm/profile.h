/* SPDX-License-Identifier: MIT
 *
 * All contact with stmlog. What a runtime that embeds it has to know stands here; the rest
 * of smallstm calls these functions and would be the same without them (with STMLOG_OFF
 * they do nothing).
 *
 * For each thread a handle and a shadow stack, both NULL while nobody profiles; for each
 * segment, who is in it and in which attempt, so that whoever meets it can say whom it has met.
 */
#ifndef SMALLSTM_PROFILE_H
#define SMALLSTM_PROFILE_H

#include <stmlog/runtime.h>

struct profile {
	struct stmlog_thread *thread;
	struct tb_stack *stack;
};

/* Opens the profiler for the process, unless the program has done it. A report names objects by `name_object`. */
int profile_open(bool (*name_object)(uintptr_t object, char *name, size_t size, void *arg));

/* Makes the report now, while objects have names, if profile_open() opened the profiler. */
void profile_close(void);

/* The calling thread's. */
struct profile profile_attach(void);
void profile_detach(void);

/* ---- where the thread is: the user's lines ---- */

/* NULL where there is no profiler. With STMLOG_OFF the compiler knows it: nothing of the library is left to link. */
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

/* Where to unwind to when an abort leaves by longjmp. */
static inline struct tb_mark profile_mark(const struct profile *profile)
{
	const struct tb_stack *stack = profile_stack(profile);
	return stack != NULL ? tb_mark(stack) : (struct tb_mark){.below = NULL, .lost = 0};
}

static inline void profile_unwind(const struct profile *profile, struct tb_mark mark)
{
	struct tb_stack *stack = profile_stack(profile);
	if (stack != NULL)
		tb_unwind(stack, mark);
}

/* The attempt that the thread is in, for others to name it by. */
static inline struct stmlog_other profile_attempt(const struct profile *profile)
{
	return stmlog_other_make(profile->thread, stmlog_attempt(profile->thread));
}

#endif
