/* SPDX-License-Identifier: MIT
 * Each thread counts the locks that it holds. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <errno.h>

#include <cmocka.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_holds_locks_until_it_has_dropped_the_last),
		cmocka_unit_test(a_lock_of_another_thread_is_none_of_ours),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
