/* SPDX-License-Identifier: MIT
 * Disables cancellation and blocks the signals that writes raise, and restores both. */
#include "undisturbed.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "own_stack.h"

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
static void take_away(int signal)
{
	static const struct timespec no_time;
	sigset_t it;
	sigemptyset(&it);
	sigaddset(&it, signal);
	while (sigtimedwait(&it, NULL, &no_time) < 0 && errno == EINTR) {
	}
}

void undisturbed_end(const struct undisturbed *was)
{
	int saved = errno;
	sigset_t pending;
	sigpending(&pending);
	for (size_t i = 0; i < SIGNALS; i++)
		if (sigismember(&pending, raised_by_writes[i]) && !sigismember(&was->pending, raised_by_writes[i]))
			take_away(raised_by_writes[i]);
	pthread_sigmask(SIG_SETMASK, &was->mask, NULL);
	pthread_setcancelstate(was->cancellation, NULL);
	errno = saved;
}

void undisturbed_run(void (*function)(void *arg), void *arg)
{
	struct undisturbed was;
	undisturbed_begin(&was);
	own_stack_run(function, arg);
	undisturbed_end(&was);
}
