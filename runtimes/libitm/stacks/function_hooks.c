/* SPDX-License-Identifier: MIT
 *
 * The hooks that functions built with -finstrument-functions call when they are entered and left. Only the agent for
 * stacks=full has them. In other agents the C library's hooks do nothing; or another library's hooks are called, with
 * which the agent must not interfere unless stacks=full was asked for.
 *
 * They may be called at any time: before a thread's first transaction, before the agent is ready, in signal handlers,
 * while the thread ends, and within the program's malloc. So they take memory from mmap, once for each thread, and use
 * only thread-local storage.
 */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "agent.h"
#include "call_stack.h"
#include "pages.h"
#include "thread.h"

/* More than the frames of a stack of ordinary size. Pages that are never touched take no memory. */
#define CALLS 65536

STMLOG_API void __cyg_profile_func_enter(void *function, void *from);
STMLOG_API void __cyg_profile_func_exit(void *function, void *from);

/* The symbol's presence tells options.c that this agent has the hooks. */
extern const char itm_functions_hooked;
const char itm_functions_hooked = 1;

/* `outside` (call_stack.h) for all threads but the first: no address is in it, so all callers are shown. */
static const struct native_module nowhere;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

/* Is called twice for each thread: the first call sets the key again, so that the second call comes after the program's
 * own destructors, whose functions report, too. */
static void at_thread_exit(void *calls)
{
	if (!itm_self.is_ending) {
		itm_self.is_ending = true;
		if (pthread_setspecific(key, calls) == 0)
			return;
	}
	itm_self.ignores_reports = true;
	itm_self.calls = NULL;
	native_pages_free(calls, itm_calls_size(CALLS));
}

static void make_key(void)
{
	has_key = pthread_key_create(&key, at_thread_exit) == 0;
}

/* Reports that come while this runs are ignored: a signal handler's functions may report. All further reports are
 * ignored if there is no memory, or once the thread is ending, since no destructor would free the memory then. */
static struct itm_calls *create_calls(void)
{
	if (itm_agent.options.stacks != ITM_STACKS_FULL || itm_self.ignores_reports)
		return NULL;
	int saved = errno;
	itm_self.ignores_reports = true;
	pthread_once(&once, make_key);
	void *memory = has_key ? native_pages(itm_calls_size(CALLS)) : NULL;
	if (memory != NULL && pthread_setspecific(key, memory) == 0) {
		itm_self.calls = itm_calls_init(memory, CALLS, gettid() == itm_agent.pid ? &itm_agent.libc : &nowhere);
		itm_self.ignores_reports = false;
	} else {
		native_pages_free(memory, itm_calls_size(CALLS));
	}
	errno = saved;
	return itm_self.calls;
}

static inline void note_context(struct itm_thread *self)
{
	if (self->depth != 0 && self->contexts != NULL)
		self->context = (uint16_t)itm_calls_context(self->calls, self->contexts);
}

void __cyg_profile_func_enter(void *function, void *from)
{
	(void)function;
	struct itm_thread *self = &itm_self;
	if (STMLOG_UNLIKELY(self->calls == NULL) && create_calls() == NULL)
		return;
	itm_calls_enter(
		self->calls, (uintptr_t)__builtin_dwarf_cfa(), (uintptr_t)from, (uintptr_t)__builtin_return_address(0));
	note_context(self);
}

/* The function calls this hook last, perhaps as a tail call. Then the function's frame is gone, and the hook returns to
 * the function's caller. */
void __cyg_profile_func_exit(void *function, void *from)
{
	(void)function;
	struct itm_thread *self = &itm_self;
	if (self->calls == NULL)
		return;
	bool has_left = __builtin_return_address(0) == from;
	itm_calls_exit(self->calls, (uintptr_t)__builtin_dwarf_cfa(), (uintptr_t)from, has_left);
	note_context(self);
}
