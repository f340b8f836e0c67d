/* SPDX-License-Identifier: MIT
 * Each thread counts the locks that it holds. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <errno.h>
#include <unistd.h>

#include <cmocka.h>

#include <atomic_ops.h>

#include "checker.h"
#include "locks.h"
#include "peer.h"

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static void a_thread_holds_locks_until_it_has_dropped_the_last(void **state)
{
	(void)state;
	assert_false(locks_are_held_here());
	locks_take(&one);
	assert_true(locks_are_held_here());
	locks_take(&other);
	locks_drop(&one);
	assert_true(locks_are_held_here());
	locks_drop(&other);
	assert_false(locks_are_held_here());
}

static void look(void *held)
{
	*(bool *)held = locks_are_held_here();
}

static void take(void *lock)
{
	locks_take(lock);
}

static void drop(void *lock)
{
	locks_drop(lock);
}

static void a_lock_of_another_thread_is_none_of_ours(void **state)
{
	struct peer peer;
	bool is_held = false;
	(void)state;
	peer_start(&peer);
	peer_do(&peer, take, &one);
	assert_false(locks_are_held_here());
	assert_int_equal(pthread_mutex_trylock(&one), EBUSY);
	peer_do(&peer, look, &is_held);
	assert_true(is_held);
	peer_do(&peer, drop, &one);
	peer_end(&peer);
}

static bool has_nobody_left;

static bool is_alone(void)
{
	return has_nobody_left;
}

static void *take_from_nobody(void *taken)
{
	locks_wait_until(is_alone);
	assert_false(locks_are_abandoned());
	has_nobody_left = true;
	assert_true(locks_are_abandoned());
	locks_take(&one);
	*(bool *)taken = locks_are_held_here();
	locks_drop(&one);
	return NULL;
}

/* This thread plays one that was killed while it held the lock. */
static void who_is_alone_does_not_wait_for_those_who_are_gone(void **state)
{
	pthread_t thread;
	bool has_taken = false;
	(void)state;
	if (has_checker()) /* it would report that another thread unlocks */
		skip();
	locks_take(&one);
	assert_int_equal(pthread_create(&thread, NULL, take_from_nobody, &has_taken), 0);
	pthread_join(thread, NULL);
	assert_true(has_taken);
	assert_false(locks_are_abandoned());
	assert_int_equal(pthread_mutex_trylock(&one), 0); /* it was dropped */
	locks_drop(&one);
}

static volatile AO_t has_got_it;

static void *take_after_a_while(void *unused)
{
	(void)unused;
	locks_wait_until(is_alone);
	locks_take(&one);
	AO_store(&has_got_it, 1);
	locks_drop(&one);
	return NULL;
}

static void who_is_not_alone_waits(void **state)
{
	pthread_t thread;
	(void)state;
	has_nobody_left = false;
	locks_take(&one);
	assert_int_equal(pthread_create(&thread, NULL, take_after_a_while, NULL), 0);
	for (int looks = 0; looks < 100; looks++) {
		usleep(100);
		assert_int_equal(AO_load(&has_got_it), 0);
	}
	locks_drop(&one);
	pthread_join(thread, NULL);
	assert_int_equal(AO_load(&has_got_it), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_holds_locks_until_it_has_dropped_the_last),
		cmocka_unit_test(a_lock_of_another_thread_is_none_of_ours),
		cmocka_unit_test(who_is_alone_does_not_wait_for_those_who_are_gone),
		cmocka_unit_test(who_is_not_alone_waits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
