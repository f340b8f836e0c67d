/* SPDX-License-Identifier: MIT
 * Who may open and close a handle; and threads that attach in the destructor of thread-specific data, in each of the
 * rounds in which such destructors run. */

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "losses.h"
#include "mem.h"
#include "misuse.h"
#include "peer.h"
#include "registry.h"
#include "session.h"
#include "session_fixture.h"
#include "test.h"
#include "wait_until.h"

/* ---- closing ---- */

static void *close_it(void *handle)
{
	stmlog_thread_close(handle);
	return NULL;
}

static void close_in_another_thread(struct stmlog_thread *handle)
{
	run_in_thread(close_it, &handle);
	assert_null(handle);
}

TEST_WITH(session_fixture, a_thread_that_has_closed_its_handle_may_open_another_one)
{
	struct stmlog_thread *me = stmlog_thread_open(NULL);
	uint32_t id = stmlog_thread_id(me);
	stmlog_thread_close(&me);
	assert_null(me);
	assert_null(stmlog_thread_self());
	close_own();
	me = stmlog_thread_open(NULL);
	assert_ptr_equal(me, stmlog_thread_self());
	assert_int_not_equal(stmlog_thread_id(me), id);
}

TEST_WITH(session_fixture, a_handler_that_interrupts_an_attach_does_not_wait_for_its_own_thread)
{
	struct stmlog_thread *me = stmlog_thread_open(NULL);
	stmlog_thread_close(&me);
	registry_lock();
	me = stmlog_thread_open(NULL);
	registry_unlock();
	assert_null(me);
	assert_non_null(stmlog_thread_open(NULL));
}

TEST_WITH(session_fixture, what_is_not_open_may_be_closed)
{
	struct stmlog_thread *none = NULL;
	size_t before = misuse_total();
	stmlog_thread_close(&none);
	stmlog_thread_close(NULL);
	assert_int_equal(misuse_total(), before);
}

TEST_WITH(session_fixture, the_own_handle_of_another_thread_stays_open)
{
	size_t before = misuse_total();
	close_in_another_thread(stmlog_thread_self());
	assert_int_equal(misuse_total(), before + 1);
	stmlog_start(stmlog_thread_self());
	stmlog_commit(stmlog_thread_self());
	assert_int_equal(misuse_total(), before + 1);
}

TEST_WITH(session_fixture, any_thread_closes_a_lane)
{
	size_t before = misuse_total();
	close_in_another_thread(stmlog_thread_open("lane"));
	assert_int_equal(misuse_total(), before);
	assert_non_null(stmlog_thread_self());
}

/* ---- opening while the session closes ---- */

static volatile AO_t late_number;

static void *open_late(void *handle)
{
	AO_store(&late_number, (AO_t)gettid());
	*(struct stmlog_thread **)handle = stmlog_thread_open("late");
	return NULL;
}

TEST_WITH(session_fixture, a_lane_that_is_asked_for_while_the_session_closes_is_not_opened)
{
	static struct stmlog_thread *late;
	pthread_t thread;
	registry_lock();
	assert_int_equal(pthread_create(&thread, NULL, open_late, &late), 0);
	WAIT_UNTIL(AO_load(&late_number) != 0 && is_asleep((pid_t)AO_load(&late_number)));
	session_shut();
	registry_unlock();
	pthread_join(thread, NULL);
	assert_null(late);
	AO_store(&session_is_open_word, 1); /* for the fixture, which closes it */
}

/* ---- the end of threads ---- */

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
		struct stmlog_thread *me = stmlog_thread_open(NULL);
		stmlog_push(me, TB_HERE());
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
	for (attach_in_round = 1; attach_in_round <= ROUNDS; attach_in_round++) {
		assert_int_equal(
			open_soon(), 0); /* before the other key: destructors are called in the order of keys */
		assert_int_equal(pthread_key_create(&key, end), 0);
		run_in_thread(live, NULL);
		stmlog_close();
		pthread_key_delete(key);
	}
	assert_int_equal(open_soon(), 0);
	stmlog_close();
	assert_int_equal(mem_live_bytes(), 0);
}
