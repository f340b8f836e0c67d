/* SPDX-License-Identifier: MIT
 * The watcher's options, its signal handlers, and its thread. */
#include "watcher.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <atomic_ops.h>

#include "outputs.h"
#include "session.h"

/* Signals that usually ask a process to end. By default they kill it. */
static const int killers[] = {SIGINT, SIGTERM, SIGHUP};
enum { KILLERS = sizeof killers / sizeof killers[0] };

static struct {
	unsigned every_s;  /* 0: no snapshots */
	int report_signal; /* 0: none */
	bool catches_killers;
	volatile AO_t is_running; /* some thread has begun to start the watcher */
	bool is_started;
	pthread_t thread;
	pid_t pid; /* of the process that has the thread */
	sem_t wake;
	volatile AO_t must_end;
	volatile AO_t killed_by; /* the signal that asked the process to end; 0: none yet */
} watcher;

/* ---- options ---- */

static int signal_number(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} names[] = {{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP}, {"WINCH", SIGWINCH}, {"URG", SIGURG}};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(name, names[i].name) == 0)
			return names[i].number;
	options_warn_value("signal", name, "USR1, USR2, HUP, WINCH or URG");
	return 0;
}

void watcher_read_options(void)
{
	const char *name = options_get(&session.options, "signal");
	const char *kill_value = options_get(&session.options, "kill");
	watcher.every_s = (unsigned)options_number(&session.options, "snapshot", 1, 86400, 0);
	watcher.report_signal = name != NULL ? signal_number(name) : 0;
	watcher.catches_killers = kill_value != NULL && strcmp(kill_value, "flush") == 0;
	if (kill_value != NULL && !watcher.catches_killers && strcmp(kill_value, "default") != 0)
		options_warn_value("kill", kill_value, "flush or default");
}

static bool is_wanted(void)
{
	return watcher.every_s != 0 || watcher.report_signal != 0 || watcher.catches_killers;
}

/* ---- handlers: async-signal-safe ---- */

static void ask_for_report(int number)
{
	int saved = errno;
	(void)number;
	sem_post(&watcher.wake);
	errno = saved;
}

/* The interrupted code must not go on, because without the watcher the signal would have killed the process here. But
 * the code may hold a lock that the watcher needs. So it goes on after two seconds. */
static void wait_for_death(void)
{
	static const struct timespec nap = {0, 10000000};
	for (int naps = 0; naps < 200; naps++)
		nanosleep(&nap, NULL);
}

/* A second signal kills, in case the watcher cannot: two seconds later at most, because the raised signal is blocked
 * until this handler returns. So does a signal that reaches a forked child before watcher_forget(): the watcher is in
 * the parent. */
static void note_killer(int number)
{
	int saved = errno;
	if (AO_load(&watcher.killed_by) != 0 || getpid() != watcher.pid) {
		signal(number, SIG_DFL);
		raise(number);
	}
	AO_store_release(&watcher.killed_by, (AO_t)number); /* partner: the watcher's load after sem_wait */
	sem_post(&watcher.wake);
	wait_for_death();
	errno = saved;
}

/* Catches the signal only if the program neither handles it nor ignores it. */
static void catch (int number, void (*handler)(int))
{
	struct sigaction was, ours = {.sa_handler = handler, .sa_flags = SA_RESTART};
	sigemptyset(&ours.sa_mask);
	if (sigaction(number, NULL, &was) == 0 && was.sa_handler == SIG_DFL)
		sigaction(number, &ours, NULL);
}

static void let_go(int number, void (*handler)(int))
{
	struct sigaction now;
	if (sigaction(number, NULL, &now) == 0 && now.sa_handler == handler)
		signal(number, SIG_DFL);
}

static void catch_all(void)
{
	if (watcher.report_signal != 0)
		catch (watcher.report_signal, ask_for_report);
	for (size_t i = 0; i < KILLERS && watcher.catches_killers; i++)
		catch (killers[i], note_killer);
}

static void let_all_go(void)
{
	if (watcher.report_signal != 0)
		let_go(watcher.report_signal, ask_for_report);
	for (size_t i = 0; i < KILLERS; i++)
		let_go(killers[i], note_killer);
}

/* ---- the thread ---- */

/* Waits until `wake` is posted or the next snapshot is due. */
static void sleep_until_wanted(void)
{
	struct timespec until;
	int error;
	if (watcher.every_s == 0) {
		while (sem_wait(&watcher.wake) != 0 && errno == EINTR) {
		}
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += watcher.every_s;
	do
		error = sem_clockwait(&watcher.wake, CLOCK_MONOTONIC, &until);
	while (error != 0 && errno == EINTR);
}

/* Raises the signal in this thread, because the interrupted thread has it blocked. */
static void die_of(int killer)
{
	sigset_t it;
	sigemptyset(&it);
	sigaddset(&it, killer);
	signal(killer, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &it, NULL);
	raise(killer);
}

static void *watch(void *unused)
{
	(void)unused;
	for (;;) {
		sleep_until_wanted();
		if (AO_load_acquire(&watcher.must_end) != 0)
			return NULL;
		outputs_make();
		int killer = (int)AO_load_acquire(&watcher.killed_by);
		if (killer != 0)
			die_of(killer);
	}
}

/* Starts the thread with all signals blocked, because the program's handlers must run on the program's threads. */
static bool start_thread(void)
{
	sigset_t all, was;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	int error = pthread_create(&watcher.thread, NULL, watch, NULL);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	return error == 0;
}

void watcher_start(void)
{
	if (!is_wanted() || AO_load(&watcher.is_running) != 0 || !AO_compare_and_swap_full(&watcher.is_running, 0, 1))
		return;
	AO_store(&watcher.must_end, 0);
	AO_store(&watcher.killed_by, 0);
	watcher.pid = getpid();
	sem_init(&watcher.wake, 0, 0);
	watcher.is_started = start_thread();
	if (watcher.is_started)
		catch_all();
}

void watcher_stop(void)
{
	if (!watcher.is_started)
		return;
	AO_store_release(&watcher.must_end, 1); /* partner: the watcher's load after sem_wait */
	sem_post(&watcher.wake);
	/* The watcher itself comes here if a callback that makes an output calls exit(). */
	if (!pthread_equal(pthread_self(), watcher.thread))
		pthread_join(watcher.thread, NULL);
	watcher_forget();
}

/* The handlers go, because there is no watcher any more that they could wake. */
void watcher_forget(void)
{
	if (watcher.is_started)
		let_all_go();
	watcher.is_started = false;
	AO_store(&watcher.is_running, 0);
}
