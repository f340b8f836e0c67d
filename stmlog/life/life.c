/* SPDX-License-Identifier: MIT
 * Opens and closes the session: options, clock, fork, and the end of the process. */
#include "life.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "labels.h"
#include "locks.h"
#include "mem.h"
#include "modules.h"
#include "names.h"
#include "origins.h"
#include "out.h"
#include "registry.h"
#include "runtime_sums.h"
#include "runtimes.h"
#include "sections.h"
#include "session.h"
#include "timeline.h"
#include "undisturbed.h"

/* ---- one thread at a time opens or closes ---- */

static volatile AO_t is_changing;
static _Thread_local bool changes_here __attribute__((tls_model("initial-exec")));

/* Waits until no other thread opens or closes the session. Returns false if this thread does: a signal handler has
 * interrupted it. The thread's own word comes first, so that a handler never waits for its own thread. */
static bool begin_turn(void)
{
	if (changes_here)
		return false;
	forks_look(FORKS_REGISTRY);
	changes_here = true;
	while (!AO_compare_and_swap_acquire(&is_changing, 0, 1)) /* partner: end_turn() */
		sched_yield();
	return true;
}

static void end_turn(void)
{
	AO_store_release(&is_changing, 0); /* partner: begin_turn() */
	changes_here = false;
}

/* The session is closed, but its data are not freed yet, because some are still in use. */
static bool has_leftovers;

/* ---- fork ---- */

static void after_fork_in_parent(void)
{
	AO_store(&session.has_forked, 1);
}

/* In the child, perhaps within a hook. If another thread was closing the session, the next one to open it frees what is
 * left, but for the registry's memory. */
static void begin_anew(void)
{
	AO_store(&is_changing, 0);
	if (!session_is_open()) {
		registry = (struct registry){.lock = PTHREAD_MUTEX_INITIALIZER};
		thread_set_self(NULL);
		timeline_fork_child(NULL);
		has_leftovers = true;
		return;
	}
	registry_fork_child(stmlog_thread_self());
	timeline_fork_child(stmlog_thread_self());
	bool may_ask = !AO_load(&session_is_filtered);
	if (may_ask)
		session.pid = getpid();
	session.is_forked = true;
	session.machine = (struct machine_time){0, 0, 0};
	AO_store(&session.lacks_machine, may_ask);
	AO_store(&session.has_more, 0);
	session.began_ns = clock_now_ns();
	session_fork_child();
	green_forget();
	own_work_forget();
	labels_forget_losses();
	attach_fork_child();
	watcher_forget();
	outputs_forget();
	board_fork_child(may_ask);
}

static void watch_forks(void)
{
	forks_watch(FORKS_REGISTRY, begin_anew);
	(void)pthread_atfork(NULL, after_fork_in_parent, NULL);
}

/* ---- open and close ---- */

static uint64_t time_of_day_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return clock_ns_of(now);
}

/* 1: from now on the clock is read by a system call, in later sessions, too (stmlog_read_clock_by_call()). */
static volatile AO_t is_read_by_call;

/* A setuid or setgid program ignores the environment of the user who started it. */
static const char *safe_getenv(const char *name)
{
	return getauxval(AT_SECURE) ? NULL : getenv(name);
}

/* `record` has calibrated the TSC where each transaction reads the clock: BASE.NANOSECONDS.SCALE. */
static bool use_known_tsc(const char *known)
{
	struct clock_tsc tsc = {.base = 0};
	uint64_t *const members[] = {&tsc.base, &tsc.base_ns, &tsc.scale};
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		char *end;
		*members[i] = strtoull(known, &end, 10);
		known = *end == '.' ? end + 1 : end;
	}
	return clock_use_tsc(&tsc);
}

static void use_new_tsc(void)
{
	struct clock_tsc tsc;
	const char *reason = clock_calibrate_tsc(&tsc);
	if (reason != NULL || !clock_use_tsc(&tsc))
		standard_error_tell("STMLOG_OPTIONS: clock=tsc: ", reason != NULL ? reason : "the TSC has jumped",
			"; reading CLOCK_MONOTONIC", NULL);
}

/* An option chooses the clock. Without one it is the TSC if that is calibrated already. */
static void choose_clock(void)
{
	const char *name = options_get(&session.options, "clock"), *known = options_get(&session.run, "tsc");
	bool by_call = AO_load(&is_read_by_call) != 0;
	clock_use(by_call ? clock_by_call_ns : session_clock);
	if (by_call || session_clock != NULL || (name != NULL && strcmp(name, "monotonic") == 0))
		return;
	if (name != NULL && strcmp(name, "tsc") != 0) {
		options_warn_value("clock", name, "monotonic or tsc");
		return;
	}
	bool is_tsc = known != NULL && use_known_tsc(known);
	if (!is_tsc && name != NULL)
		use_new_tsc();
}

static void accept_words(const char *key, const char *const *words, const char *expected)
{
	const char *value = options_get(&session.options, key);
	if (value == NULL)
		return;
	for (; *words != NULL; words++)
		if (strcmp(value, *words) == 0)
			return;
	options_warn_value(key, value, expected);
}

/* Paths cost little where a runtime chooses the sample, and much where it may measure each transaction, as with
 * sample=N and in timelines. `by_default`: the setup's has_paths. */
static bool wants_paths(bool by_default)
{
	const char *paths = options_get(&session.options, "paths"), *sample = options_get(&session.options, "sample");
	bool samples =
		(sample == NULL || strcmp(sample, "auto") == 0) && options_get(&session.options, "timeline") == NULL;
	return paths != NULL ? strcmp(paths, "on") == 0 : by_default && samples;
}

static void parse_options(const char *otherwise)
{
	const char *given = safe_getenv("STMLOG_OPTIONS");
	options_parse(&session.options, given != NULL ? given : otherwise);
	options_parse(&session.run, safe_getenv("STMLOG_RUN"));
}

static void forget_options(void)
{
	options_forget(&session.options);
	options_forget(&session.run);
}

/* `options`: the setup's. */
static void read_options(const char *options)
{
	static const char *const switches[] = {"on", "off", NULL};
	const char *generation = safe_getenv("STMLOG_GENERATION");
	parse_options(options);
	session.top = options_number(&session.options, "top", 0, 1000000, 5);
	session.depth = options_number(&session.options, "depth", 1, 4096, 32);
	session.sample = options_sample(&session.options);
	session.generation = generation != NULL ? strtoull(generation, NULL, 10) : 0;
	accept_words("paths", switches, "on or off");
	session.has_paths = wants_paths(session.has_paths);
	choose_clock();
	outputs_read_options();
	watcher_read_options();
}

/* Frees the data of a closed session, unless threads are still attached or make outputs. The timeline comes first: its
 * recorders have references to the stacks of their threads, which the registry destroys. */
static void free_session(bool is_unread)
{
	registry_lock();
	attach_leave_ended();
	has_leftovers = !is_unread || !registry_is_empty();
	if (!has_leftovers) {
		timeline_close();
		attach_close();
		registry_close();
		words_forget();
		names_forget_interned();
		forget_options();
	}
	registry_unlock();
}

/* Most forked children call exec() soon, so they read the machine's time late. */
static void at_attach(void)
{
	if (AO_compare_and_swap_full(&session.lacks_machine, 1, 0))
		session.machine = machine_time_now(session.pid);
	board_note_begun();
	watcher_start();
}

static int open_registry(void)
{
	int error = registry_open(options_number(&session.options, "capacity", 0, 1000000, 128));
	if (error != 0)
		return error;
	error = attach_open(at_attach);
	if (error != 0) {
		registry_lock();
		registry_close();
		registry_unlock();
	}
	return error;
}

/* Returns the setup with all its members. A program with an older header has a shorter setup: the members that it lacks
 * are 0. For NULL all members are 0. */
static struct stmlog_setup whole(const struct stmlog_setup *setup, size_t size)
{
	struct stmlog_setup all = {.runtime = NULL};
	if (setup != NULL)
		memcpy(&all, setup, size < sizeof all ? size : sizeof all);
	return all;
}

static void copy_setup(const struct stmlog_setup *setup, size_t size)
{
	struct stmlog_setup all = whole(setup, size);
	runtimes_forget();
	green_forget();
	own_work_forget();
	labels_forget_losses();
	runtimes_join(&all);
	session.report = words_copy(all.report);
	session.has_paths = all.has_paths;
}

/* Adds a runtime to the open session, which is kept open meanwhile. Returns 0 if the session is not open. */
static int join(const struct stmlog_setup *setup, size_t size)
{
	struct stmlog_setup all = whole(setup, size);
	if (!session_enter())
		return 0;
	int error = runtimes_join(&all);
	session_leave();
	return error != 0 ? error : -EALREADY;
}

bool stmlog_leave_abi(const struct stmlog_setup *setup, size_t setup_size)
{
	struct stmlog_setup all = whole(setup, setup_size);
	if (runtimes_refuse_within("stmlog_leave within a callback") || !session_enter())
		return false;
	if (runtimes_has(&all))
		sections_intern_names();
	bool was_in = runtimes_part(&all);
	session_leave();
	return was_in;
}

/* The kernel refuses a set that is smaller than its own highest number of processors. A cpu_set_t may be too small. */
enum { SET_BYTES = 8192 };

/* How many processors the process's first thread may run on. They are fewer than those of the machine under taskset, in
 * a cpuset, and after that thread was bound to some. 0: not known. Keeps errno. */
static size_t usable_processors(void)
{
	static const size_t words = SET_BYTES / sizeof(cpu_set_t);
	cpu_set_t set[SET_BYTES / sizeof(cpu_set_t)];
	int saved = errno;
	CPU_ZERO_S(words * sizeof *set, set);
	size_t count = 0;
	if (sched_getaffinity(getpid(), sizeof set, set) == 0)
		count = (size_t)CPU_COUNT_S(sizeof set, set);
	errno = saved;
	return count;
}

uint32_t stmlog_processors(void)
{
	return (uint32_t)session.processors;
}

static int open_closed(const struct stmlog_setup *setup, size_t setup_size)
{
	if (has_leftovers)
		free_session(session_shut());
	if (has_leftovers)
		return -EBUSY;
	session = (struct session){.sample_every = 1, .pid = getpid(), .processors = usable_processors()};
	copy_setup(setup, setup_size);
	read_options(whole(setup, setup_size).options);
	fence_choose();
	board_open();
	modules_program();
	int error = open_registry();
	if (error != 0) {
		words_forget();
		forget_options();
		return error;
	}
	session.machine = machine_time_now(session.pid);
	session.began_ns = clock_now_ns();
	session.began_unix_ns = time_of_day_ns();
	timeline_read_options();
	AO_store_release(&session_is_open_word, 1); /* release; partner: session_is_open() */
	return 0;
}

/* Another runtime may have opened the session already. */
void stmlog_refused(void)
{
	int saved = errno;
	if (!session_is_open()) {
		session.pid = getpid();
		parse_options(NULL);
		board_open();
		forget_options();
	}
	board_note_refused();
	errno = saved;
}

/* Another thread may have opened while this one waited for it. */
static int open_or_join(const struct stmlog_setup *setup, size_t setup_size)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int error = join(setup, setup_size);
	if (error != 0)
		return error;
	pthread_once(&once, watch_forks);
	if (!begin_turn())
		return -EDEADLK;
	error = join(setup, setup_size);
	if (error == 0)
		error = open_closed(setup, setup_size);
	end_turn();
	return error;
}

struct opening {
	const struct stmlog_setup *setup;
	size_t setup_size;
	unsigned abi;
	int error;
};

static void open_or_refuse(void *arg)
{
	struct opening *opening = arg;
	opening->error = -EPROTO;
	if (stmlog_abi_fits(opening->abi))
		opening->error = open_or_join(opening->setup, opening->setup_size);
}

int stmlog_open_abi(const struct stmlog_setup *setup, size_t setup_size, unsigned abi)
{
	struct opening opening = {setup, setup_size, abi, 0};
	int saved = errno;
	if (runtimes_refuse_within("stmlog_open within a callback"))
		return -EDEADLK;
	undisturbed_run(open_or_refuse, &opening);
	errno = saved;
	return opening.error;
}

/* Whether the process was forked by the system call itself, without fork(). Then no fork handler has run: the process
 * has the data of its parent, and no watcher. */
static bool is_of_parent(void)
{
	return !AO_load(&session_is_filtered) && getpid() != session.pid;
}

/* May wait, so the callers have disabled cancellation of the thread. */
static void make_outputs(enum outputs_occasion occasion)
{
	if (!watcher_runs() && AO_load(&session_is_filtered))
		outputs_note_filtered();
	else if (!watcher_runs())
		outputs_make(occasion);
	else if (!outputs_are_barred() && !watcher_make(occasion))
		outputs_tell_stuck();
}

void stmlog_before_filter(void)
{
	int saved = errno;
	if (session_is_open()) {
		AO_store(&session_is_filtered, 1);
		mem_stop_madvise();
		watcher_before_filter();
	}
	errno = saved;
}

void stmlog_read_clock_by_call(void)
{
	AO_store(&is_read_by_call, 1);
	clock_use(clock_by_call_ns);
}

void stmlog_flush(void)
{
	int saved = errno, cancellation;
	if (!session_is_open() || is_of_parent() || runtimes_refuse_within("stmlog_flush within a callback"))
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
	make_outputs(OUTPUTS_ON_CALL);
	pthread_setcancelstate(cancellation, NULL);
	errno = saved;
}

void stmlog_before_leaving(void)
{
	int saved = errno, cancellation;
	if (!session_is_open() || is_of_parent())
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
	if (!watcher_before_leaving())
		stmlog_flush();
	pthread_setcancelstate(cancellation, NULL);
	errno = saved;
}

static void close_session(void)
{
	stmlog_timeline_stop();
	make_outputs(OUTPUTS_AT_END);
	watcher_stop();
	struct stmlog_thread *own = stmlog_thread_self();
	bool is_unread = session_shut();
	origins_close();
	stmlog_thread_close(&own);
	has_leftovers = true;
	if (!AO_load(&session_is_filtered)) /* the filter may kill the process for munmap() */
		free_session(is_unread);
}

void stmlog_close(void)
{
	int saved = errno, cancellation;
	if (!session_is_open() || is_of_parent() || runtimes_refuse_within("stmlog_close within a callback") ||
		outputs_are_barred())
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
	bool is_first = begin_turn(); /* otherwise a signal handler ends the process within this function */
	if (session_is_open())
		close_session();
	if (is_first)
		end_turn();
	pthread_setcancelstate(cancellation, NULL);
	errno = saved;
}

/* Runs after the program's exit handlers and destructors, which may run transactions: of the priorities that are not
 * reserved for the system, 101 comes last. It also runs at dlclose: otherwise the destructor of the thread key would
 * call code that is not mapped any more. */
__attribute__((destructor(101))) static void at_process_exit(void)
{
	stmlog_close();
	attach_close();
}
