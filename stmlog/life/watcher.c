/* SPDX-License-Identifier: MIT
 * The watcher's options, its signal handlers, and its thread. */
#include "watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <atomic_ops.h>

#include "clock.h"
#include "outputs.h"
#include "session.h"
#include "signals.h"

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
	sigset_t mask; /* of the thread that has started the watcher */
	pid_t pid;     /* of the process that has the thread */
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

/* Whether the first thread of the process has ended; it stays a zombie as long as there are others. */
static bool has_first_ended(void)
{
	char text[512];
	int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	ssize_t len = read(file, text, sizeof text - 1);
	close(file);
	text[len > 0 ? len : 0] = '\0';
	const char *behind_name = strrchr(text, ')');
	return behind_name != NULL && strncmp(behind_name, ") Z", 3) == 0;
}

/* Whether all threads of the program have ended, and only this one keeps the process alive. Without /proc nobody knows.
 */
static bool is_alone(void)
{
	struct stat tasks;
	if (stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink < 3)
		return false;
	nlink_t threads = tasks.st_nlink - 2;
	return threads == 1 || (threads == 2 && has_first_ended());
}

/* As the C library does when the last thread ends. The exit handlers get the signals that a thread of the program's
 * would have got. */
static void end_as_last_thread(void)
{
	signals_restore(&watcher.mask);
	exit(0);
}

#define LOOK_NS 250000000 /* between two looks whether this thread is alone */

/* Returns false if `wake` was not posted before that time. */
static bool wait_for_wake(uint64_t until_ns)
{
	struct timespec until = {(time_t)(until_ns / 1000000000u), (long)(until_ns % 1000000000u)};
	int error;
	do
		error = sem_clockwait(&watcher.wake, CLOCK_MONOTONIC, &until);
	while (error != 0 && errno == EINTR);
	return error == 0;
}

/* Waits until `wake` is posted or the next snapshot is due. */
static void sleep_until_wanted(void)
{
	uint64_t due_ns =
		watcher.every_s != 0 ? clock_monotonic_ns() + watcher.every_s * UINT64_C(1000000000) : UINT64_MAX;
	for (;;) {
		uint64_t look_ns = clock_monotonic_ns() + LOOK_NS;
		if (wait_for_wake(look_ns < due_ns ? look_ns : due_ns) || look_ns >= due_ns)
			return;
		if (is_alone())
			end_as_last_thread();
	}
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
	watcher.mask = signals_block();
	int error = pthread_create(&watcher.thread, NULL, watch, NULL);
	signals_restore(&watcher.mask);
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
