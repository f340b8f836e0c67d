/* SPDX-License-Identifier: MIT
 * A process forks while two other threads transact, open handles and close them. The runtime's fork handlers do the
 * same, some of them before the library's handlers and some behind. All transactions are cold: each takes more frames
 * than its thread has. A handler also takes a mutex that one of the threads holds meanwhile, and stops the other one by
 * a signal, if it can where that one has a lock of the library's, the registry's or that of the frames, which the child
 * then finds locked.
 *
 * No process hangs, each child goes on, and each transaction is counted: in the child from the moment of the fork on.
 * usage: fork_handlers_test [FORKS]      `make matrix` forks 10,000 times, in 100 processes. */
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "child.h"
#include "claims.h"
#include "fake_clock.h"
#include "locks.h"
#include "random.h"
#include "registry.h"
#include "stress.h"
#include "test.h"
#include "wait_until.h"

enum { DEPTH = 600, HOLDER = 0, STOPPED = 1, OTHERS, SIGNALS = 200 };

static uint32_t forks;
static volatile AO_t is_over, begun;
static pthread_t others[OTHERS];
static int others_len = OTHERS;
static pthread_mutex_t world = PTHREAD_MUTEX_INITIALIZER;
static sem_t answered;
static volatile AO_t is_for_registry, is_stopped, stopped, forks_under_locks;

/* Transactions of this thread's handle, in this process. */
static __thread uint64_t own;

static __thread struct random of_thread;

static bool perhaps(void)
{
	return random_below(&of_thread, 2) == 0;
}

/* At other sites than before, so that it first gives frames back, or twice as deep. */
static void transact(struct stmlog_thread *handle)
{
	static __thread uintptr_t code;
	struct tb_stack *stack = stmlog_thread_stack(handle);
	bool is_deeper = perhaps();
	unsigned depth = is_deeper ? 2 * DEPTH : DEPTH;
	code += !is_deeper;
	for (unsigned i = 0; i < depth; i++)
		stmlog_push(handle, tb_site_make(code, i));
	tb_unref(stack, tb_capture(stack));
	stmlog_start(handle);
	if (perhaps())
		stmlog_origin(handle, TB_NO_SITE); /* keeps the frames */
	stmlog_commit(handle);
	for (unsigned i = 0; i < depth; i++)
		stmlog_pop(handle);
}

static void transact_here(void)
{
	own++;
	transact(stmlog_thread_open(NULL));
}

/* All that the thread has done is recorded, with its tracebacks. */
static bool has_all(const struct stmlog_thread *handle, uint64_t commits)
{
	struct stmlog_account account;
	stmlog_account_read(handle, &account);
	return account.commits == commits && AO_load(&handle->tracebacks_unavailable) == 0 &&
	       tb_stack_lost(handle->stack) == 0;
}

static void use_a_lane(void)
{
	struct stmlog_thread *lane = stmlog_thread_open("lane");
	claim(lane != NULL);
	stmlog_claim(lane);
	transact(lane);
	claim(has_all(lane, 1));
	stmlog_thread_close(&lane);
}

/* ---- the runtime's fork handlers ---- */

static void stop(int signal)
{
	(void)signal;
	bool stops = locks_are_held_here() && registry_is_locked() == (AO_load(&is_for_registry) != 0);
	if (stops)
		AO_fetch_and_add1(&stopped);
	sem_post(&answered);
	while (stops && AO_load(&is_stopped))
		sched_yield();
	if (stops)
		AO_fetch_and_sub1(&stopped);
}

static void stop_world(void)
{
	pthread_mutex_lock(&world);
	use_a_lane();
	transact_here();
	AO_store(&is_for_registry, perhaps());
	AO_store(&is_stopped, 1);
	for (int i = 0; i < SIGNALS && AO_load(&stopped) == 0 && others_len > STOPPED; i++) {
		pthread_kill(others[STOPPED], SIGUSR1);
		while (sem_wait(&answered) != 0)
			continue;
	}
	AO_store(&forks_under_locks, AO_load(&forks_under_locks) + AO_load(&stopped));
}

static void let_go_on(void)
{
	AO_store(&is_stopped, 0);
	WAIT_UNTIL(AO_load(&stopped) == 0);
	transact_here();
	pthread_mutex_unlock(&world);
}

static void go_on_in_child(void)
{
	hang_guard_begin();
	pthread_mutex_init(&world, NULL);
	own = 0;
	bool begins_by_lane = perhaps();
	if (begins_by_lane)
		use_a_lane();
	transact_here();
	if (!begins_by_lane)
		use_a_lane();
}

/* ---- threads ---- */

static void *live(void *unused)
{
	struct stmlog_thread *handle = stmlog_thread_open(NULL);
	claim(handle != NULL);
	use_a_lane();
	transact(handle);
	claim(has_all(handle, 1));
	stmlog_thread_close(&handle);
	return unused;
}

/* A stack that asks for each frame anew. */
static void ask(void)
{
	struct tb_stack *stack = tb_stack_create(1);
	for (unsigned i = 0; i < DEPTH; i++)
		tb_push(stack, tb_site_make(7, i));
	tb_current(stack);
	tb_stack_destroy(&stack);
}

static void *live_again_and_again(void *mutex)
{
	AO_fetch_and_add1(&begun);
	while (!AO_load(&is_over)) {
		if (mutex != NULL)
			pthread_mutex_lock(mutex);
		ask();
		live(NULL);
		if (mutex != NULL)
			pthread_mutex_unlock(mutex);
	}
	return NULL;
}

static void live_as_child(void)
{
	transact_here();
	claim(has_all(stmlog_thread_self(), own));
	claim(registry.ended_len == 1); /* the lane */
#ifndef __SANITIZE_THREAD__             /* it allows no thread in a child of several threads */
	pthread_t thread;
	claim(pthread_create(&thread, NULL, live, NULL) == 0 && pthread_join(thread, NULL) == 0);
#endif
	stmlog_close();
	_exit(AO_load(&defects) != 0);
}

static void fork_again_and_again(void)
{
	for (uint32_t i = 0; i < forks && AO_load(&defects) == 0; i++) {
		pid_t child = fork();
		if (child == 0)
			live_as_child();
		assert_child_succeeds(child);
	}
}

TEST(every_process_goes_on_and_counts_whatever_its_fork_handlers_do)
{
	static const struct stmlog_setup setup = {.runtime = "forks", .report = "/dev/null"};
	if (has_checker() && !RUNNING_ON_VALGRIND)
		others_len = 1; /* a child of a sanitizer's would find the lock of its malloc() locked */
	fake_clock_set(1000);
	signal(SIGUSR1, stop);
	sem_init(&answered, 0, 0);
	assert_int_equal(pthread_atfork(stop_world, let_go_on, go_on_in_child), 0);
	assert_int_equal(stmlog_open(&setup), 0);
	assert_int_equal(pthread_atfork(transact_here, transact_here, transact_here), 0);
	transact_here();
	for (int i = 0; i < others_len; i++)
		assert_int_equal(
			pthread_create(&others[i], NULL, live_again_and_again, i == HOLDER ? &world : NULL), 0);
	WAIT_UNTIL(AO_load(&begun) == (AO_t)others_len); /* a sanitizer has locks of its own while a thread begins */
	fork_again_and_again();
	AO_store(&is_over, 1);
	for (int i = 0; i < others_len; i++)
		assert_int_equal(pthread_join(others[i], NULL), 0);
	assert_true(has_all(stmlog_thread_self(), own));
	assert_int_equal(AO_load(&defects), 0);
	stmlog_close();
	print_message(
		"%u forks, %zu of them while another thread had a lock\n", forks, (size_t)AO_load(&forks_under_locks));
}

int main(int argc, char **argv)
{
	forks = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : stress_times(60);
	unsetenv("STMLOG_OPTIONS");
	return test_run();
}
