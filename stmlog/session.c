/* SPDX-License-Identifier: MIT
 * From open to close: options, clock, the thread key, fork, and the end of the process. */
#include "session.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "misuse.h"
#include "outputs.h"
#include "registry.h"
#include "watcher.h"

/* Initial-exec: one load on the way to the handle, in a shared library too; a pointer fits into the room
 * that the C library keeps for libraries loaded later. */
static __thread struct stmlog_thread *self __attribute__((tls_model("initial-exec")));

struct session session;

static pthread_key_t exit_key;
static bool has_exit_key;
static clock_function *own_clock;

/* ---- threads ---- */

struct stmlog_thread *stmlog_thread_self(void)
{
	return self;
}

struct stmlog_thread *stmlog_thread_attach(void)
{
	if (self != NULL || !session.is_open)
		return self;
	int saved = errno;
	self = registry_attach();
	/* Any value but NULL makes the destructor run. If it cannot be set, the thread stays attached for
	 * good and its record is never used again: nothing worse. */
	if (self != NULL) {
		pthread_setspecific(exit_key, self);
		watcher_start();
	}
	errno = saved;
	return self;
}

void stmlog_thread_detach(void)
{
	struct stmlog_thread *thread = self;
	if (thread == NULL)
		return;
	int saved = errno;
	self = NULL; /* first: a signal handler that transacts from here on is not recorded */
	registry_detach(thread);
	if (has_exit_key)
		pthread_setspecific(exit_key, NULL);
	errno = saved;
}

static void at_thread_exit(void *thread)
{
	(void)thread;
	stmlog_thread_detach();
}

uint32_t stmlog_thread_id(const struct stmlog_thread *thread)
{
	return thread != NULL ? thread->id : 0;
}

struct tb_stack *stmlog_thread_stack(struct stmlog_thread *thread)
{
	return thread != NULL ? thread->stack : NULL;
}

void stmlog_account_read(const struct stmlog_thread *thread, struct stmlog_account *account)
{
	account_read(&thread->account, account);
}

/* ---- fork ---- */

static void before_fork(void)
{
	registry_lock();
}

static void after_fork_in_parent(void)
{
	registry_unlock();
}

static void after_fork_in_child(void)
{
	registry_fork_child(self);
	if (!session.is_open)
		return;
	session.pid = getpid();
	session.is_forked = true;
	session.began_ns = clock_now_ns();
	watcher_forget();
	outputs_forget();
}

static void watch_forks(void)
{
	static bool is_watched;
	if (!is_watched)
		is_watched = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
}

/* ---- open and close ---- */

static uint64_t time_of_day_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void choose_clock(void)
{
	const char *name = options_get(&session.options, "clock");
	clock_use(own_clock);
	if (own_clock != NULL || name == NULL || strcmp(name, "monotonic") == 0)
		return;
	if (strcmp(name, "tsc") != 0)
		options_warn_value("clock", name, "monotonic or tsc");
	else if (!clock_use_tsc())
		options_warn_value("clock", name, "possible here, since the TSC is not invariant");
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

static void read_options(void)
{
	static const char *const no_timeline[] = {"off", NULL};
	static const char *const stacks[] = {"site", "frames", "full", NULL};
	/* A program that runs with somebody else's rights takes no orders from whoever started it. */
	const char *text = getauxval(AT_SECURE) ? NULL : getenv("STMLOG_OPTIONS");
	const char *generation = getauxval(AT_SECURE) ? NULL : getenv("STMLOG_GENERATION");
	options_parse(&session.options, text);
	session.top = options_number(&session.options, "top", 0, 1000000, 10);
	session.depth = options_number(&session.options, "depth", 1, 4096, 32);
	session.generation = generation != NULL ? strtoull(generation, NULL, 10) : 0;
	accept_words("timeline", no_timeline, "off");
	accept_words("stacks", stacks, "site, frames or full");
	choose_clock();
	outputs_read_options();
	watcher_read_options();
}

static int open_registry(void)
{
	int error = registry_open(options_number(&session.options, "capacity", 0, 1000000, 128));
	if (error != 0)
		return error;
	error = -pthread_key_create(&exit_key, at_thread_exit);
	if (error != 0)
		registry_close();
	has_exit_key = error == 0;
	return error;
}

int stmlog_open(const struct stmlog_setup *setup)
{
	if (session.is_open)
		return -EALREADY;
	int saved = errno;
	session = (struct session){.sample_every = 1, .pid = getpid()};
	if (setup != NULL)
		session.setup = *setup;
	if (session.setup.runtime == NULL)
		session.setup.runtime = "embedded";
	read_options();
	int error = open_registry();
	if (error != 0)
		return error;
	watch_forks();
	session.began_ns = clock_now_ns();
	session.began_unix_ns = time_of_day_ns();
	session.is_open = true;
	errno = saved;
	return 0;
}

void stmlog_flush(void)
{
	int saved = errno;
	if (session.is_open)
		outputs_make();
	errno = saved;
}

void stmlog_close(void)
{
	if (!session.is_open)
		return;
	int saved = errno;
	watcher_stop();
	outputs_make();
	session.is_open = false;
	stmlog_thread_detach();
	pthread_key_delete(exit_key);
	has_exit_key = false;
	registry_close();
	errno = saved;
}

/* Runs after the program's own exit handlers, which may transact; and at dlclose, where the key would
 * otherwise call into code that is gone. */
__attribute__((destructor)) static void at_process_exit(void)
{
	stmlog_close();
}

/* ---- the rest ---- */

void session_before_report(void)
{
	if (session.setup.before_report != NULL)
		session.setup.before_report(session.setup.before_report_arg);
}

const char *stmlog_option(const char *key)
{
	return options_get(&session.options, key);
}

void stmlog_set_clock(uint64_t (*now_ns)(void))
{
	if (session.is_open)
		misuse_count("stmlog_set_clock after stmlog_open");
	else
		own_clock = now_ns;
}

void stmlog_set_sampling(uint32_t every)
{
	session.sample_every = every;
}
