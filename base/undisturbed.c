/* SPDX-License-Identifier: MIT
 * Disables cancellation and blocks the signals that writes raise, and restores both. Switches to another stack by
 * makecontext() and swapcontext(). */
#include "undisturbed.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>
#include <ucontext.h>

#include "checker.h"
#include "mem.h"

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

/* ---- the stack ---- */

/* Both contexts lie below the new stack, because a context takes a kilobyte, and the present stack may have little
 * left. */
struct room {
	ucontext_t outside, inside;
	void (*function)(void *arg);
	void *arg;
	char stack[256 * 1024] __attribute__((aligned(64)));
};

/* makecontext() passes arguments of type int only. */
static void enter(unsigned high, unsigned low)
{
	const struct room *room = (const struct room *)((uintptr_t)high << 32 | low);
	room->function(room->arg);
}

static void change(struct room *room)
{
	if (getcontext(&room->inside) != 0) {
		room->function(room->arg);
		return;
	}
	room->inside.uc_stack.ss_sp = room->stack;
	room->inside.uc_stack.ss_size = sizeof room->stack;
	room->inside.uc_link = &room->outside;
	makecontext(
		&room->inside, (void (*)(void))enter, 2, (unsigned)((uintptr_t)room >> 32), (unsigned)(uintptr_t)room);
	swapcontext(&room->outside, &room->inside);
}

/* Calls function(arg) on a fresh stack of 256 KB; without memory for one, on the present stack. Needs some 300 bytes of
 * the present stack itself. A checker would report a stack that belongs to no thread. Programs under a checker have
 * large stacks, so there the function runs on the present one. */
static void run_on_own_stack(void (*function)(void *arg), void *arg)
{
	struct room *room = has_checker() ? NULL : mem_alloc(sizeof *room);
	if (room == NULL) {
		function(arg);
		return;
	}
	room->function = function;
	room->arg = arg;
	change(room);
	mem_free(room, sizeof *room);
}

void undisturbed_run(void (*function)(void *arg), void *arg)
{
	struct undisturbed was;
	undisturbed_begin(&was);
	run_on_own_stack(function, arg);
	undisturbed_end(&was);
}
