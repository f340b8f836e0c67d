/* SPDX-License-Identifier: MIT
 * The watcher's options, its signal handlers, and its thread. */
#include "watcher.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <atomic_ops.h>

#include "clock.h"
#include "death.h"
#include "dispositions.h"
#include "last_thread.h"
#include "locks.h"
#include "outputs.h"
#include "patience.h"
#include "session.h"
#include "signals.h"
#include "undisturbed.h"

/* snapshot=auto: the watcher rests so much longer than the last snapshot has taken of a processor. */
#define REST 500
#define REST_LEAST_NS UINT64_C(900000000) /* so that a second is the most that is lost */

static struct {
	unsigned every_s;  /* between snapshots; 0: none, or is_auto */
	bool is_auto;      /* snapshots as often as they cost next to nothing, once a second at most */
	int report_signal; /* 0: none */
	bool catches_killers;
	volatile AO_t is_running; /* some thread has begun to start the watcher */
	bool is_started;
	pthread_t thread;
	pid_t tid;     /* of the thread, which stores it itself */
	sigset_t mask; /* of the thread that has started the watcher */
	sem_t wake;
	volatile AO_t must_end;
	bool is_stuck; /* it waits for the thread that waits for it */

	/* An order of another thread, which has `ordering`. */
	pthread_mutex_t ordering;
	volatile AO_t is_ordered;
	enum outputs_occasion order;
	sem_t made;
} watcher = {.ordering = PTHREAD_MUTEX_INITIALIZER};

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

static void read_snapshot(void)
{
	const char *text = options_get(&session.options, "snapshot");
	watcher.is_auto = text != NULL && strcmp(text, "auto") == 0;
	bool is_number = text != NULL && !watcher.is_auto && strcmp(text, "off") != 0;
	watcher.every_s = is_number ? (unsigned)options_number(&session.options, "snapshot", 1, 86400, 0) : 0;
}

void watcher_read_options(void)
{
	const char *name = options_get(&session.options, "signal");
	const char *kill_value = options_get(&session.options, "kill");
	read_snapshot();
	watcher.report_signal = name != NULL ? signal_number(name) : 0;
	watcher.catches_killers = kill_value != NULL && strcmp(kill_value, "flush") == 0;
	if (kill_value != NULL && !watcher.catches_killers && strcmp(kill_value, "default") != 0)
		options_warn_value("kill", kill_value, "flush or default");
}

static bool is_wanted(void)
{
	return watcher.every_s != 0 || watcher.is_auto || watcher.report_signal != 0 || watcher.catches_killers;
}

/* ---- signals ---- */

/* Async-signal-safe. */
static void ask_for_report(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	(void)number;
	(void)info;
	(void)context;
	sem_post(&watcher.wake);
	errno = saved;
}

static void catch_signals(void)
{
	if (watcher.report_signal != 0)
		dispositions_set(watcher.report_signal, ask_for_report, NULL);
	if (watcher.catches_killers)
		death_catch(&watcher.wake, watcher.thread);
}

static void let_signals_go(void)
{
	if (watcher.report_signal != 0)
		dispositions_unset(watcher.report_signal, ask_for_report);
	if (watcher.catches_killers)
		death_let_go();
}

/* ---- the thread ---- */

/* As the C library does when the last thread ends. The exit handlers get the signals that a thread of the program's
 * would have got. */
static void end_as_last_thread(void)
{
	signals_restore(&watcher.mask);
	exit(0);
}

#define LOOK_NS 250000000 /* between two looks whether this thread is alone */

/* Returns false if the semaphore was not posted before that time. */
static bool wait_for(sem_t *semaphore, uint64_t until_ns)
{
	struct timespec until = {(time_t)(until_ns / 1000000000u), (long)(until_ns % 1000000000u)};
	int error;
	do
		error = sem_clockwait(semaphore, CLOCK_MONOTONIC, &until);
	while (error != 0 && errno == EINTR);
	return error == 0;
}

static uint64_t processor_time_ns(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return clock_ns_of(time);
}

/* When the next snapshot is due, after one that took `took_ns` of a processor. UINT64_MAX: never. */
static uint64_t due_after(uint64_t took_ns)
{
	uint64_t rest_ns = watcher.every_s * UINT64_C(1000000000);
	if (watcher.is_auto)
		rest_ns = REST * took_ns > REST_LEAST_NS ? REST * took_ns : REST_LEAST_NS;
	return rest_ns != 0 ? clock_monotonic_ns() + rest_ns : UINT64_MAX;
}

/* Returns true if `wake` was posted, false if the time has come. */
static bool sleep_until(uint64_t due_ns)
{
	for (;;) {
		uint64_t look_ns = clock_monotonic_ns() + LOOK_NS;
		if (wait_for(&watcher.wake, look_ns < due_ns ? look_ns : due_ns))
			return true;
		if (look_ns >= due_ns)
			return false;
		if (last_thread_is_caller())
			end_as_last_thread();
	}
}

static void make_as_asked(void *occasion)
{
	outputs_make(*(enum outputs_occasion *)occasion);
}

/* The stack of this thread may be small, as ulimit -s says. */
static void make(enum outputs_occasion occasion)
{
	undisturbed_run(make_as_asked, &occasion);
}

/* Returns false if there is none. */
static bool obey_order(void)
{
	if (AO_load_acquire(&watcher.is_ordered) == 0)
		return false;
	AO_store(&watcher.is_ordered, 0);
	make(watcher.order);
	sem_post(&watcher.made);
	return true;
}

/* A deadly signal comes before the end of the session: the process has got it before. This thread takes the handlers
 * away, because a filter of system calls may forbid that to others. */
static void *watch(void *unused)
{
	uint64_t due_ns = due_after(0);
	(void)unused;
	watcher.tid = gettid();
	for (;;) {
		bool is_asked = sleep_until(due_ns);
		uint64_t before_ns = processor_time_ns();
		if (death_signal() != 0) {
			make(OUTPUTS_AT_DEATH);
			death_prepared();
		} else if (AO_load_acquire(&watcher.must_end) != 0) {
			break;
		} else if (!obey_order()) {
			make(is_asked ? OUTPUTS_ON_SIGNAL : OUTPUTS_SNAPSHOT);
		}
		due_ns = due_after(processor_time_ns() - before_ns);
	}
	let_signals_go();
	if (death_signal() != 0)
		death_prepared();
	return NULL;
}

/* Starts the thread with all signals blocked, because the program's handlers must run on the program's threads. */
static bool start_thread(void)
{
	watcher.mask = signals_block();
	int error = pthread_create(&watcher.thread, NULL, watch, NULL);
	signals_restore(&watcher.mask);
	return error == 0;
}

static void start(void)
{
	if (AO_load(&watcher.is_running) != 0 || !AO_compare_and_swap_full(&watcher.is_running, 0, 1))
		return;
	AO_store(&watcher.must_end, 0);
	AO_store(&watcher.is_ordered, 0);
	watcher.is_stuck = false;
	sem_init(&watcher.wake, 0, 0);
	sem_init(&watcher.made, 0, 0);
	watcher.is_started = start_thread();
	if (watcher.is_started)
		catch_signals();
}

void watcher_start(void)
{
	if (is_wanted() && !AO_load(&session.is_filtered))
		start();
}

void watcher_before_filter(void)
{
	watcher.catches_killers = false;
	start();
	death_let_go();
}

/* ---- for other threads ---- */

bool watcher_runs(void)
{
	return watcher.is_started && !pthread_equal(pthread_self(), watcher.thread);
}

/* Returns false if `made` is not posted by then. */
static bool wait_for_made(unsigned ms)
{
	uint64_t until_ns = clock_monotonic_ns() + ms * UINT64_C(1000000);
	return wait_for(&watcher.made, until_ns);
}

bool watcher_make(enum outputs_occasion occasion)
{
	enum { PIECE_MS = 50 };
	struct patience patience = {.has_clock = false};
	if (!AO_load(&session.is_filtered)) /* the other thread's clock takes a system call */
		patience = patience_with(watcher.thread);
	locks_take(&watcher.ordering);
	watcher.order = occasion;
	AO_store_release(&watcher.is_ordered, 1); /* partner: obey_order() */
	sem_post(&watcher.wake);
	while (!watcher.is_stuck && !wait_for_made(PIECE_MS))
		watcher.is_stuck = patience_is_over(&patience, PIECE_MS);
	locks_drop(&watcher.ordering);
	return !watcher.is_stuck;
}

static void note_none(void)
{
	watcher.is_started = false;
	AO_store(&watcher.is_running, 0);
}

/* The watcher itself comes here if a callback that makes an output calls exit(). */
void watcher_stop(void)
{
	if (!watcher.is_started)
		return;
	AO_store_release(&watcher.must_end, 1); /* partner: the watcher's load after sem_wait */
	sem_post(&watcher.wake);
	if (pthread_equal(pthread_self(), watcher.thread) || watcher.is_stuck) {
		watcher_forget();
		return;
	}
	pthread_join(watcher.thread, NULL);
	note_none();
}

/* A thread that was joined is still one of the process's for a moment. */
static void wait_until_gone(pid_t tid)
{
	enum { LOOKS_MOST = 100000 };
	for (int looks = 0; looks < LOOKS_MOST && tgkill(getpid(), tid, 0) == 0; looks++)
		sched_yield();
}

/* Nobody else has given an order meanwhile: it would wait for ever. */
bool watcher_pause(void)
{
	if (!watcher_runs() || AO_load(&session.is_filtered) || watcher.is_stuck)
		return false;
	locks_take(&watcher.ordering);
	watcher_stop();
	wait_until_gone(watcher.tid);
	locks_drop(&watcher.ordering);
	return true;
}

/* The handlers go, because there is no watcher any more that they could wake. */
void watcher_forget(void)
{
	if (watcher.is_started)
		let_signals_go();
	pthread_mutex_init(&watcher.ordering, NULL);
	note_none();
}
