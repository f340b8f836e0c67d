/* SPDX-License-Identifier: MIT
 * Reads the watcher's options, starts and ends its process, and passes orders to it. */
#include "life.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <atomic_ops.h>

#include "check.h"
#include "clock.h"
#include "companion.h"
#include "locks.h"
#include "mem.h"
#include "session.h"

/* With snapshot=auto, the watcher rests REST times as long as the processor time of the last snapshot. */
#define REST 500
#define REST_MIN_NS UINT64_C(900000000) /* so that at most a second is lost */

/* A program may end because it gets no more memory. So much address space is reserved for its recording. */
#define RESERVE_BYTES (2 << 20)

/* A state of the watcher: its process was started or cannot be, its memory is being freed, or some thread starts it. */
enum { IS_SETTLED = 1, IS_RELEASED, IS_STARTING };

static struct {
	unsigned every_s;  /* between snapshots; 0: none, or is_auto */
	bool is_auto;      /* snapshots as often as they cost next to nothing, once a second at most */
	int report_signal; /* 0: none */
	bool writes_at_death;
	volatile AO_t state; /* 0: no thread has begun to start it */
	bool is_started;
	struct companion process;
	void *reserve; /* NULL: there is none, or it is in use */
	sem_t wake;
	volatile AO_t must_end;
	volatile AO_t may_leave; /* some thread is about to call exec() */
	bool is_stuck;           /* the watcher waits for a lock of the thread that waits for it */

	/* An order of another thread, which holds `ordering`. */
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
	watcher.writes_at_death = kill_value != NULL && strcmp(kill_value, "flush") == 0;
	if (kill_value != NULL && !watcher.writes_at_death && strcmp(kill_value, "default") != 0)
		options_warn_value("kill", kill_value, "flush or default");
}

static bool is_wanted(void)
{
	return watcher.every_s != 0 || watcher.is_auto || watcher.report_signal != 0 || watcher.writes_at_death;
}

/* ---- the signal of the option `signal` ---- */

/* Async-signal-safe. */
static void ask_for_report(int number)
{
	int saved = errno;
	(void)number;
	sem_post(&watcher.wake);
	errno = saved;
}

/* Replaces `from` by `to`; another handler is the program's, and stays. */
static void change_handler(void (*from)(int), void (*to)(int))
{
	struct sigaction now, wanted = {.sa_handler = to, .sa_flags = SA_RESTART | SA_ONSTACK};
	int number = watcher.report_signal;
	if (number != 0 && sigaction(number, NULL, &now) == 0 && now.sa_handler == from)
		sigaction(number, &wanted, NULL);
}

/* ---- outputs ---- */

/* The watcher ends at the latest so long after the program: it might run for ever on data that the program has left
 * inconsistent, or wait for ever for a lock of the program's. */
#define ALONE_MAX_S 60

static void free_reserve(void)
{
	mem_free(watcher.reserve, RESERVE_BYTES);
	watcher.reserve = NULL;
}

/* The program has ended. */
static void make_last(void)
{
	alarm(ALONE_MAX_S);
	free_reserve();
	if (watcher.writes_at_death)
		outputs_make(OUTPUTS_AT_DEATH);
}

/* ---- sleep ---- */

/* How often to check whether the program still runs. */
#define LOOK_NS 250000000

/* Returns false if the semaphore was not posted before that time, or a signal has come. */
static bool wait_once(sem_t *semaphore, uint64_t until_ns)
{
	struct timespec until = {(time_t)(until_ns / 1000000000u), (long)(until_ns % 1000000000u)};
	return sem_clockwait(semaphore, CLOCK_MONOTONIC, &until) == 0;
}

static uint64_t processor_time_ns(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return clock_ns_of(time);
}

/* Returns when the next snapshot is due, after one that took `took_ns` of processor time. UINT64_MAX: never. */
static uint64_t due_after(uint64_t took_ns)
{
	uint64_t rest_ns = watcher.every_s * UINT64_C(1000000000);
	if (watcher.is_auto)
		rest_ns = REST * took_ns > REST_MIN_NS ? REST * took_ns : REST_MIN_NS;
	return rest_ns != 0 ? clock_monotonic_ns() + rest_ns : UINT64_MAX;
}

enum reason { IS_ASKED, IS_DUE, IS_OVER };

/* Waits for a moment until the program has left. Some thread is about to call exec() or _exit(), but it is not known
 * when, nor whether the call succeeds. */
static bool leaves_soon(void)
{
	static const struct timespec nap = {0, 1000000};
	enum { NAPS = 100 };
	AO_store(&watcher.may_leave, 0);
	for (int naps = 0; naps < NAPS && AO_load_acquire(&watcher.is_ordered) == 0; naps++) {
		if (host_has_left())
			return true;
		nanosleep(&nap, NULL);
	}
	return false;
}

static bool has_left(uint64_t now_ns)
{
	static uint64_t look_ns; /* when to check next */
	if (now_ns < look_ns)
		return false;
	look_ns = now_ns + LOOK_NS;
	return host_has_left();
}

/* If the program ends, the kernel's signal ends a wait at once; without the signal, or if it comes before the wait, the
 * next check notices. */
static enum reason sleep_until(uint64_t due_ns)
{
	while (!host_has_ended()) {
		uint64_t look_ns = clock_monotonic_ns() + LOOK_NS;
		bool is_asked = wait_once(&watcher.wake, look_ns < due_ns ? look_ns : due_ns);
		uint64_t now_ns = clock_monotonic_ns();
		if (has_left(now_ns))
			return IS_OVER;
		if (host_has_ended())
			continue;
		if (AO_load_acquire(&watcher.may_leave) != 0) { /* partner: watcher_before_leaving() */
			if (leaves_soon())
				return IS_OVER;
			continue; /* an order has been posted, too, if there is one */
		}
		if (is_asked)
			return IS_ASKED;
		if (now_ns >= due_ns)
			return IS_DUE;
	}
	return IS_OVER;
}

/* ---- work ---- */

/* Carries out the order of another thread. Returns false if there is none. */
static bool obey_order(void)
{
	if (AO_load_acquire(&watcher.is_ordered) == 0)
		return false;
	AO_store(&watcher.is_ordered, 0);
	outputs_make(watcher.order);
	sem_post(&watcher.made);
	return true;
}

static void work(void)
{
	uint64_t due_ns = due_after(0);
	for (;;) {
		enum reason reason = sleep_until(due_ns);
		uint64_t before_ns = processor_time_ns();
		if (reason == IS_OVER) {
			make_last();
			return;
		}
		if (AO_load_acquire(&watcher.must_end) != 0)
			return;
		if (!obey_order())
			outputs_make(reason == IS_ASKED ? OUTPUTS_ON_SIGNAL : OUTPUTS_SNAPSHOT);
		due_ns = due_after(processor_time_ns() - before_ns);
	}
}

/* ---- the process ---- */

/* Async-signal-safe. */
static void wake_up(int number)
{
	(void)number;
	if (host_has_ended())
		alarm(watcher.is_stuck ? 1 : ALONE_MAX_S);
}

/* Unblocks two signals: the one that the kernel sends when the program ends, and the one of alarm(). */
static void choose_signals(void)
{
	struct sigaction wake = {.sa_handler = wake_up}, end = {.sa_handler = SIG_DFL};
	sigset_t through;
	sigemptyset(&through);
	sigaddset(&through, SIGUSR1);
	sigaddset(&through, SIGALRM);
	sigaction(SIGUSR1, &wake, NULL);
	sigaction(SIGALRM, &end, NULL);
	pthread_sigmask(SIG_UNBLOCK, &through, NULL);
	prctl(PR_SET_PDEATHSIG, SIGUSR1, 0, 0, 0);
}

/* Leaves the program's terminal session and closes its descriptors except stderr, because somebody may wait until they
 * are closed. A fault in this process leaves no core dump, which would be taken for the program's. */
static void leave_program(void)
{
	static const struct rlimit none, all = {RLIM_INFINITY, RLIM_INFINITY};
	setsid();
	close_range(STDIN_FILENO, STDOUT_FILENO, 0);
	close_range(STDERR_FILENO + 1, ~0U, 0);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_AS, &all); /* fails without the right to do so */
	prctl(PR_SET_NAME, "stmlog-watcher", 0, 0, 0);
}

static void watch(void)
{
	leave_program();
	choose_signals();
	locks_wait_until(host_has_ended);
	work();
	board_forget_watcher(getpid());
}

static bool start_process(void)
{
	host_note(session.pid);
	watcher.reserve = mem_alloc(RESERVE_BYTES);
	bool is_started = companion_start(&watcher.process, watch);
	if (!is_started)
		free_reserve();
	return is_started;
}

static void start_here(void)
{
	AO_store(&watcher.must_end, 0);
	AO_store(&watcher.is_ordered, 0);
	AO_store(&watcher.may_leave, 0);
	watcher.is_stuck = false;
	sem_init(&watcher.wake, 0, 0);
	sem_init(&watcher.made, 0, 0);
	watcher.is_started = start_process();
	if (!watcher.is_started)
		return;
	board_note_watcher(watcher.process.pid);
	change_handler(SIG_DFL, ask_for_report);
}

/* If the program were killed before its watcher is noted, all that this thread has done until then would be lost. But
 * the thread that starts the watcher may have left it by longjmp(), or may wait for a lock that this one holds. */
static void wait_until_settled(void)
{
	static const struct timespec nap = {0, 100000};
	enum { NAPS = 20000 };
	int naps = 0;
	while (AO_load_acquire(&watcher.state) == IS_STARTING && naps++ < NAPS) /* partner: start() */
		nanosleep(&nap, NULL);
	AO_compare_and_swap_full(&watcher.state, IS_STARTING, IS_SETTLED);
}

/* Disables cancellation: the thread may have been cancelled already, and must not end here. */
static void start(void)
{
	int cancellation;
	if (AO_load_acquire(&watcher.state) == IS_SETTLED)
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
	if (AO_compare_and_swap_full(&watcher.state, 0, IS_STARTING)) {
		start_here();
		AO_store_release(&watcher.state, IS_SETTLED); /* partner: wait_until_settled() */
	} else {
		wait_until_settled();
	}
	pthread_setcancelstate(cancellation, NULL);
}

void watcher_start(void)
{
	if (is_wanted() && !AO_load(&session_is_filtered))
		start();
}

void watcher_before_filter(void)
{
	REQUIRES(AO_load(&session_is_filtered) != 0);
	start();
}

/* ---- for the program's threads ---- */

static void note_none(void)
{
	watcher.is_started = false;
	AO_store(&watcher.state, 0);
}

/* Frees the watcher's memory after its process has ended. Only one of several threads does this, and meanwhile no
 * thread can start a watcher. */
static void release(void)
{
	if (!AO_compare_and_swap_full(&watcher.state, IS_SETTLED, IS_RELEASED))
		return;
	companion_fini(&watcher.process);
	free_reserve();
	note_none();
}

bool watcher_runs(void)
{
	if (!watcher.is_started || companion_is_here(&watcher.process))
		return false;
	if (AO_load(&session_is_filtered) || !companion_has_ended(&watcher.process))
		return true;
	change_handler(ask_for_report, SIG_DFL);
	release();
	return false;
}

/* Returns false if `made` is not posted by then. */
static bool wait_for_made(unsigned ms)
{
	uint64_t until_ns = clock_monotonic_ns() + ms * UINT64_C(1000000);
	bool is_made;
	do
		is_made = wait_once(&watcher.made, until_ns);
	while (!is_made && clock_monotonic_ns() < until_ns);
	return is_made;
}

bool watcher_make(enum outputs_occasion occasion)
{
	enum { PIECE_MS = 50 };
	struct idle_time idle = {.has_clock = false};
	REQUIRES(watcher.is_started);
	if (!AO_load(&session_is_filtered)) /* reading the other process's clock takes a system call */
		idle = idle_time_begin(watcher.process.pid);
	locks_lock(&watcher.ordering);
	watcher.order = occasion;
	AO_store_release(&watcher.is_ordered, 1); /* partner: obey_order() */
	sem_post(&watcher.wake);
	while (!watcher.is_stuck && !wait_for_made(PIECE_MS))
		watcher.is_stuck = idle_time_is_over(&idle, PIECE_MS);
	locks_unlock(&watcher.ordering);
	return !watcher.is_stuck;
}

bool watcher_before_leaving(void)
{
	bool dies_too = session.pid == 1; /* the kernel kills all of a PID namespace whose first process ends */
	if (!watcher_runs() || !watcher.writes_at_death || watcher.is_stuck || dies_too)
		return false;
	AO_store_release(&watcher.may_leave, 1); /* partner: sleep_until() */
	sem_post(&watcher.wake);
	return true;
}

/* Under a filter of system calls the thread cannot wait for the process. Then the watcher's memory is not freed; nor is
 * it if the watcher is stuck. */
void watcher_stop(void)
{
	if (!watcher_runs())
		return;
	change_handler(ask_for_report, SIG_DFL);
	AO_store_release(&watcher.must_end, 1); /* partner: the load in work() */
	sem_post(&watcher.wake);
	if (watcher.is_stuck || AO_load(&session_is_filtered)) {
		note_none();
		return;
	}
	companion_wait(&watcher.process);
	release();
}

/* Removes the signal handler, because there is no watcher that it could wake. */
void watcher_forget(void)
{
	if (watcher.is_started)
		change_handler(ask_for_report, SIG_DFL);
	pthread_mutex_init(&watcher.ordering, NULL);
	note_none();
}
