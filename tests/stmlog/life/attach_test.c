/* SPDX-License-Identifier: MIT
 * Threads that attach in the destructor of thread-specific data, in each of the rounds in which such destructors run.
 */

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>

#include <stmlog/runtime.h>

#include "mem.h"
#include "test.h"

#ifdef __SANITIZE_THREAD__ /* which forgets the thread in a destructor of its own, in the last rounds */
enum { ROUNDS = 2 };
#else
enum { ROUNDS = PTHREAD_DESTRUCTOR_ITERATIONS };
#endif

static pthread_key_t key;
static uintptr_t attach_in_round;

static const struct stmlog_setup setup = {.runtime = "late", .report = "none"};

/* The value is the number of the round. */
static void end(void *value)
{
	uintptr_t round = (uintptr_t)value;
	if (round == attach_in_round) {
		struct stmlog_thread *me = stmlog_thread_attach();
		stmlog_push(stmlog_thread_stack(me), TB_HERE());
		stmlog_start(me);
	}
	if (round < ROUNDS)
		pthread_setspecific(key, (void *)(round + 1));
}

static void *live(void *unused)
{
	pthread_setspecific(key, (void *)(uintptr_t)1);
	return unused;
}

/* pthread_join() returns a moment before the kernel has forgotten the thread. */
static int open_soon(void)
{
	int error;
	while ((error = stmlog_open(&setup)) == -EBUSY)
		sched_yield();
	return error;
}

TEST(a_thread_that_attaches_as_it_ends_is_in_the_way_of_no_session)
{
	pthread_t thread;
	for (attach_in_round = 1; attach_in_round <= ROUNDS; attach_in_round++) {
		assert_int_equal(
			open_soon(), 0); /* before the other key: destructors are called in the order of keys */
		assert_int_equal(pthread_key_create(&key, end), 0);
		assert_int_equal(pthread_create(&thread, NULL, live, NULL), 0);
		pthread_join(thread, NULL);
		stmlog_close();
		pthread_key_delete(key);
	}
	assert_int_equal(open_soon(), 0);
	stmlog_close();
	assert_int_equal(mem_live_bytes(), 0);
}
