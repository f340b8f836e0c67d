/* SPDX-License-Identifier: MIT
 * Disables cancellation and blocks the signals that writes raise, and restores both. */
#include "undisturbed.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "check.h"
#include "mem.h"
#include "other_stack.h"

static const int raised_by_writes[] = {SIGPIPE, SIGXFSZ};
enum { SIGNALS = sizeof raised_by_writes / sizeof raised_by_writes[0] };

void undisturbed_begin(struct undisturbed *was)
{
	sigset_t blocked;
	sigemptyset(&blocked);
	for (size_t i = 0; i < SIGNALS; i++)
		sigaddset(&blocked, raised_by_writes[i]);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was->cancellation);
	pthread_sigmask(SIG_BLOCK, &blocked, &was->mask);
	sigpending(&was->pending);
}

/* A signal that a write raises is pending for this thread alone, so that no other thread can have taken it. */
static void discard(int signal)
{
	static const struct timespec no_time;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, signal);
	while (sigtimedwait(&set, NULL, &no_time) < 0 && errno == EINTR) {
	}
}

void undisturbed_end(const struct undisturbed *was)
{
	int saved = errno;
	sigset_t pending;
	sigpending(&pending);
	for (size_t i = 0; i < SIGNALS; i++)
		if (sigismember(&pending, raised_by_writes[i]) && !sigismember(&was->pending, raised_by_writes[i]))
			discard(raised_by_writes[i]);
	pthread_sigmask(SIG_SETMASK, &was->mask, NULL);
	pthread_setcancelstate(was->cancellation, NULL);
	errno = saved;
}

/* Calls function(arg) on a stack of 256 KB; without memory for it, on the present stack. Under a checker, too: programs
 * have large stacks there. */
static void run_on_own_stack(void (*function)(void *arg), void *arg)
{
	enum { BYTES = 256 * 1024 };
	void *stack = has_checker() ? NULL : mem_alloc(BYTES);
	if (stack == NULL) {
		function(arg);
		return;
	}
	other_stack_call(stack, BYTES, function, arg);
	mem_free(stack, BYTES);
}

void undisturbed_run(void (*function)(void *arg), void *arg)
{
	struct undisturbed was;
	undisturbed_begin(&was);
	run_on_own_stack(function, arg);
	undisturbed_end(&was);
}
