/* SPDX-License-Identifier: MIT
 * Parts that forked children begin anew: found out by the kernel's word, or in the fork handler on an old kernel. And
 * each thread counts the locks that it holds. */
#include "locks.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic_ops.h>

#include "check.h"
#include "child.h"
#include "peer.h"
#include "test.h"
#include "wait_until.h"

/* ---- forked children: first, while the process has no other thread ---- */

static bool is_old_kernel;
int __real_madvise(void *memory, size_t size, int advice);
int __wrap_madvise(void *memory, size_t size, int advice);

int __wrap_madvise(void *memory, size_t size, int advice)
{
	bool is_refused = is_old_kernel && advice == MADV_WIPEONFORK;
	return is_refused ? -1 : __real_madvise(memory, size, advice);
}

static int first_begun, second_begun, begun_early;

static void begin_first(void)
{
	first_begun++;
	errno = EINVAL;
}

static void begin_second(void)
{
	second_begun++;
}

/* A handler that comes before the one of locks.c. */
static void look_early(void)
{
	forks_look(FORKS_FRAMES);
	begun_early = first_begun;
}

/* In a process that has watched no part yet. Its child has a child, too. */
static void watch_and_fork(void)
{
	pthread_atfork(NULL, NULL, look_early);
	errno = 77;
	forks_look(FORKS_FRAMES); /* is not watched yet */
	forks_watch(FORKS_FRAMES, begin_first);
	forks_watch(FORKS_REGISTRY, begin_second);
	forks_watch(FORKS_FRAMES, begin_first);
	for (int generation = 1; generation <= 2; generation++) {
		if (!in_forked_child())
			_exit(first_begun != generation - 1 || errno != 77);
		int early = is_old_kernel ? generation - 1 : generation;
		if (first_begun != generation || second_begun != generation || begun_early != early)
			_exit(1);
	}
	_exit(0);
}

TEST(each_child_begins_each_part_anew_once_before_it_is_used)
{
	if (in_forked_child())
		watch_and_fork();
	is_old_kernel = true;
	if (in_forked_child())
		watch_and_fork();
}

/* ---- mutexes ---- */

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

TEST(a_thread_holds_locks_until_it_has_dropped_the_last)
{
	assert_false(locks_are_held_here());
	locks_lock(&one);
	assert_true(locks_are_held_here());
	locks_lock(&other);
	locks_unlock(&one);
	assert_true(locks_are_held_here());
	locks_unlock(&other);
	assert_false(locks_are_held_here());
}

static void look(void *held)
{
	*(bool *)held = locks_are_held_here();
}

static void take(void *lock)
{
	locks_lock(lock);
}

static void drop(void *lock)
{
	locks_unlock(lock);
}

TEST(a_lock_of_another_thread_is_none_of_ours)
{
	struct peer peer;
	bool is_held = false;
	peer_start(&peer);
	peer_do(&peer, take, &one);
	assert_false(locks_are_held_here());
	assert_int_equal(pthread_mutex_trylock(&one), EBUSY);
	peer_do(&peer, look, &is_held);
	assert_true(is_held);
	peer_do(&peer, drop, &one);
	peer_end(&peer);
}

static volatile AO_t waiter_number;

static void *wait_without_clock(void *error)
{
	*(int *)error = prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
	AO_store(&waiter_number, (AO_t)gettid());
	locks_lock(&one);
	locks_unlock(&one);
	return NULL;
}

/* Reading it would end the process. */
TEST(a_thread_that_waits_for_a_lock_does_not_read_the_time_stamp_counter)
{
	pthread_t waiter;
	int error = 0;
	if (has_checker())
		skip(); /* sanitizers read it */
	locks_lock(&one);
	assert_int_equal(pthread_create(&waiter, NULL, wait_without_clock, &error), 0);
	WAIT_UNTIL(AO_load(&waiter_number) != 0 && is_asleep((pid_t)AO_load(&waiter_number)));
	locks_unlock(&one);
	pthread_join(waiter, NULL);
	if (error != 0)
		skip(); /* not x86 */
}

static bool has_nobody_left;
static volatile AO_t looks;

static bool is_alone(void)
{
	AO_fetch_and_add1(&looks);
	return has_nobody_left;
}

static void *take_from_nobody(void *taken)
{
	locks_wait_until(is_alone);
	assert_false(locks_are_abandoned());
	has_nobody_left = true;
	assert_true(locks_are_abandoned());
	locks_lock(&one);
	*(bool *)taken = locks_are_held_here();
	locks_unlock(&one);
	return NULL;
}

/* This thread plays one that was killed while it held the lock. */
TEST(who_is_alone_does_not_wait_for_those_who_are_gone)
{
	bool has_taken = false;
	if (has_checker()) /* it would report that another thread unlocks */
		skip();
	locks_lock(&one);
	run_in_thread(take_from_nobody, &has_taken);
	assert_true(has_taken);
	assert_false(locks_are_abandoned());
	assert_int_equal(pthread_mutex_trylock(&one), 0); /* it was dropped */
	locks_unlock(&one);
}

static volatile AO_t has_got_it;

static void *take_after_a_while(void *unused)
{
	(void)unused;
	locks_wait_until(is_alone);
	locks_lock(&one);
	AO_store(&has_got_it, 1);
	locks_unlock(&one);
	return NULL;
}

TEST(who_is_not_alone_waits)
{
	pthread_t thread;
	has_nobody_left = false;
	AO_store(&looks, 0);
	locks_lock(&one);
	assert_int_equal(pthread_create(&thread, NULL, take_after_a_while, NULL), 0);
	WAIT_UNTIL(AO_load(&looks) > 100);
	assert_int_equal(AO_load(&has_got_it), 0);
	locks_unlock(&one);
	pthread_join(thread, NULL);
	assert_int_equal(AO_load(&has_got_it), 1);
}
