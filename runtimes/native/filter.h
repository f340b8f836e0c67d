/* SPDX-License-Identifier: MIT
 *
 * Recognises the calls by which a program filters its own system calls: prctl() and syscall(), with the arguments for
 * seccomp(2). The filter may kill the program for a call that the program itself never makes. So from then on the
 * runtime's hooks make no system calls of their own, and the library makes outputs in its own process
 * (stmlog_before_filter()).
 *
 * Strict seccomp and prctl(PR_SET_TSC) also forbid to read the time-stamp counter, which clock_gettime() reads, too.
 * Both apply to the thread that makes the call, and to those that it begins.
 */
#ifndef NATIVE_FILTER_H
#define NATIVE_FILTER_H

#include <stdbool.h>

#include <atomic_ops.h>

enum native_forbidden { NATIVE_NOTHING_FORBIDDEN, NATIVE_NO_CALLS, NATIVE_NO_CLOCK /* and no calls */ };

/* enum native_forbidden. It only grows. Read without order: it is stored before the call that forbids, by the thread
 * that makes this call; threads that this thread creates afterwards see the value. */
extern volatile AO_t native_filtered __attribute__((visibility("hidden")));

static inline bool native_is_filtered(void)
{
	return AO_load(&native_filtered) != NATIVE_NOTHING_FORBIDDEN;
}

static inline bool native_has_no_clock(void)
{
	return AO_load(&native_filtered) == NATIVE_NO_CLOCK;
}

/* What syscall() with these first arguments forbids. prctl() has the number SYS_prctl. Any thread. */
enum native_forbidden native_forbidden_by(long number, long first, long second);

/* Prepares for what is about to be forbidden. `do_without` is called once in the process for each value up to
 * `forbidden`, and has the hooks do without what is forbidden; NULL: they need none of it. Called by the thread that is
 * about to make the call, in a process that does not only share this memory (vfork). Keeps errno. */
void native_before_filter(enum native_forbidden forbidden, void (*do_without)(enum native_forbidden forbidden));

#endif
