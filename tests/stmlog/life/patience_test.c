/* SPDX-License-Identifier: MIT
 * How long another thread is waited for. The waiting itself is only said here, not done. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <semaphore.h>
#include <unistd.h>

#include <cmocka.h>

#include <atomic_ops.h>

#include "patience.h"

static sem_t begun, may_end;
static volatile AO_t must_end;

static void *stand(void *unused)
{
	(void)unused;
	sem_post(&begun);
	sem_wait(&may_end);
	return NULL;
}

static void *work(void *unused)
{
	(void)unused;
	while (!AO_load(&must_end))
		continue;
	return NULL;
}

static void *end(void *unused)
{
	return unused;
}

static void expect_over_after(struct patience *patience, unsigned ms)
{
	for (unsigned waited = 500; waited < ms; waited += 500)
		assert_false(patience_is_over(patience, 500));
	assert_true(patience_is_over(patience, 500));
}

static uint64_t used_by(const struct patience *patience)
{
	struct timespec time;
	assert_int_equal(clock_gettime(patience->clock, &time), 0);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Returns when the thread's clock has not moved for a while: it sleeps. */
static void wait_until_it_stands(const struct patience *patience)
{
	uint64_t before;
	do {
		before = used_by(patience);
		usleep(20000);
	} while (used_by(patience) != before);
}

static void a_thread_that_stands_is_waited_for_two_seconds(void **state)
{
	pthread_t thread;
	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, stand, NULL), 0);
	sem_wait(&begun);
	struct patience patience = patience_with(thread);
	assert_true(patience.has_clock);
	wait_until_it_stands(&patience);
	assert_false(patience_is_over(&patience, 500)); /* it has worked before */
	expect_over_after(&patience, PATIENCE_MS);
	assert_true(patience_is_over(&patience, 1));
	sem_post(&may_end);
	pthread_join(thread, NULL);
}

static void a_thread_that_works_is_waited_for_however_long(void **state)
{
	pthread_t thread;
	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, work, NULL), 0);
	struct patience patience = patience_with(thread);
	for (int i = 0; i < 100; i++) {
		while (used_by(&patience) == patience.used_ns)
			usleep(100);
		assert_false(patience_is_over(&patience, PATIENCE_MS));
	}
	AO_store(&must_end, 1);
	pthread_join(thread, NULL);
}

static void a_thread_that_works_again_is_waited_for_as_at_first(void **state)
{
	pthread_t thread;
	(void)state;
	AO_store(&must_end, 0);
	assert_int_equal(pthread_create(&thread, NULL, work, NULL), 0);
	struct patience patience = patience_with(thread);
	patience.stood_ms = PATIENCE_MS - 1;
	while (used_by(&patience) == patience.used_ns)
		usleep(100);
	assert_false(patience_is_over(&patience, 500));
	assert_int_equal(patience.stood_ms, 0);
	AO_store(&must_end, 1);
	pthread_join(thread, NULL);
}

/* A joined thread has its clock until the kernel has removed it. */
static void wait_until_it_is_gone(const struct patience *patience)
{
	struct timespec time;
	while (patience->has_clock && clock_gettime(patience->clock, &time) == 0)
		usleep(100);
}

/* Such a thread cannot be told from a thread that stands. */
static void a_thread_that_has_ended_is_waited_for_two_seconds(void **state)
{
	pthread_t thread;
	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, end, NULL), 0);
	struct patience patience = patience_with(thread), without_clock = {.has_clock = false};
	pthread_join(thread, NULL);
	wait_until_it_is_gone(&patience);
	expect_over_after(&patience, PATIENCE_MS);
	expect_over_after(&without_clock, PATIENCE_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_that_stands_is_waited_for_two_seconds),
		cmocka_unit_test(a_thread_that_works_is_waited_for_however_long),
		cmocka_unit_test(a_thread_that_works_again_is_waited_for_as_at_first),
		cmocka_unit_test(a_thread_that_has_ended_is_waited_for_two_seconds),
	};
	sem_init(&begun, 0, 0);
	sem_init(&may_end, 0, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
