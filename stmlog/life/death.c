/* SPDX-License-Identifier: MIT
 * The handler, and how the thread in it waits. All of it is async-signal-safe. */
#include "death.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic_ops.h>

#include "clock.h"
#include "dispositions.h"
#include "locks.h"
#include "patience.h"
#include "thread.h"

static const struct deadly {
	int number;
	bool is_fault; /* of the instruction that was running, which cannot be finished */
} deadly[] = {
	{SIGINT, false},
	{SIGTERM, false},
	{SIGHUP, false},
	{SIGQUIT, false},
	{SIGABRT, false},
	{SIGSEGV, true},
	{SIGBUS, true},
	{SIGFPE, true},
	{SIGILL, true},
};
enum { DEADLY = sizeof deadly / sizeof deadly[0] };

/* The thread in the handler and the watcher agree by `state` on which of them ends the process. Only the first signal
 * changes it. */
enum { WAITING, GONE_ON, PREPARED };

static struct {
	pid_t pid; /* of the process that has the watcher */
	sem_t *wake;
	struct patience patience; /* with the watcher */
	volatile AO_t number;     /* of the first signal; 0: none yet. Stored last, by compare-and-swap */
	volatile AO_t came_ms;
	volatile AO_t state;
} death;

/* ---- the end ---- */

/* Pending until the handler returns, which blocks all signals. The program's code is then interrupted where it was, by
 * the default action. `info`: as the kernel gave it; NULL: none. Not for faults: valgrind takes one that was sent with
 * the kernel's details for its own. */
static void die_of(int number, siginfo_t *info)
{
	dispositions_reset(number);
	if (info == NULL || syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), number, info) != 0)
		raise(number);
}

/* ---- waiting ---- */

/* Returns when the outputs are made, or the watcher gets no further. */
static void wait_for_watcher(void)
{
	static const struct timespec nap = {0, 1000000};
	struct patience patience = death.patience;
	while (AO_load_acquire(&death.state) == WAITING && !patience_is_over(&patience, 1))
		nanosleep(&nap, NULL);
}

/* Whether the signal has come in the middle of a call of this library on this thread. */
static bool is_within_call(void)
{
	const struct stmlog_thread *self = stmlog_thread_self();
	return locks_are_held_here() || (self != NULL && self->is_busy);
}

/* ---- the handler ---- */

static AO_t now_ms(void)
{
	return (AO_t)(clock_monotonic_ns() / 1000000);
}

/* Returns whether the process is to die now, at the place that was interrupted. */
static bool wait_for_death(bool is_fault)
{
	sem_post(death.wake);
	if (!is_within_call())
		wait_for_watcher();
	return !AO_compare_and_swap_full(&death.state, WAITING, GONE_ON) || is_fault;
}

/* Another signal came before, on this or on another thread. Returns as wait_for_death(). */
static bool wait_for_other(bool is_fault)
{
	if (is_within_call())
		return is_fault;
	if (now_ms() - AO_load(&death.came_ms) >= PATIENCE_MS)
		return true;
	wait_for_watcher();
	return is_fault || AO_load_acquire(&death.state) == PREPARED;
}

static bool is_of_fault(int number, const siginfo_t *info)
{
	for (size_t i = 0; i < DEADLY; i++)
		if (deadly[i].number == number)
			return deadly[i].is_fault && info->si_code > 0;
	return false;
}

static bool is_first(int number)
{
	if (AO_load(&death.number) != 0)
		return false;
	AO_store(&death.came_ms, now_ms());
	return AO_compare_and_swap_full(&death.number, 0, (AO_t)number);
}

/* A forked child before death_let_go(), or one that shares this memory, has no watcher. */
static void at_signal(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	bool dies = true, is_fault = is_of_fault(number, info);
	(void)context;
	if (getpid() == death.pid)
		dies = is_first(number) ? wait_for_death(is_fault) : wait_for_other(is_fault);
	if (dies && is_fault)
		dispositions_reset(number); /* the instruction faults once more */
	else if (dies)
		die_of(number, info);
	errno = saved;
}

/* ---- setting the handler ---- */

/* All signals are blocked in the handler: the program would have handled none of them any more. */
void death_catch(sem_t *wake, pthread_t watcher)
{
	sigset_t all;
	sigfillset(&all);
	death.pid = getpid();
	death.wake = wake;
	death.patience = patience_with(watcher);
	AO_store(&death.state, WAITING);
	AO_store(&death.number, 0);
	for (size_t i = 0; i < DEADLY; i++)
		dispositions_set(deadly[i].number, at_signal, &all);
}

void death_let_go(void)
{
	for (size_t i = 0; i < DEADLY; i++)
		dispositions_unset(deadly[i].number, at_signal);
}

int death_signal(void)
{
	return (int)AO_load_acquire(&death.number);
}

void death_prepared(void)
{
	sigset_t it;
	int number = death_signal();
	if (AO_compare_and_swap_full(&death.state, WAITING, PREPARED)) /* partner: wait_for_watcher() */
		return;
	if (AO_load(&death.state) == PREPARED)
		return;
	sigemptyset(&it);
	sigaddset(&it, number);
	die_of(number, NULL);
	pthread_sigmask(SIG_UNBLOCK, &it, NULL);
}
