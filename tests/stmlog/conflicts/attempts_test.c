/* SPDX-License-Identifier: MIT
 * How an attempt ended, as another thread sees it, and how that thread finds the attempt. */
#include <pthread.h>

#include "attempts.h"
#include "random.h"
#include "stress.h"
#include "test.h"

#define LOOKED_AT (ATTEMPTS_REMEMBERED / 2)

TEST(an_attempt_is_open_until_it_ends)
{
	struct attempts attempts = {.word = 0};
	attempts_begin(&attempts);
	assert_int_equal(attempts_current(&attempts), 1);
	assert_int_equal(attempts_outcome(&attempts, 1), OUTCOME_OPEN);
	attempts_end(&attempts);
	assert_int_equal(attempts_current(&attempts), 1);
	assert_int_equal(attempts_outcome(&attempts, 1), OUTCOME_COMMITTED);
	attempts_begin(&attempts);
	attempts_abort(&attempts);
	assert_int_equal(attempts_outcome(&attempts, 1), OUTCOME_COMMITTED);
	assert_int_equal(attempts_outcome(&attempts, 2), OUTCOME_ABORTED);
}

/* Every other attempt aborts, `aborts` of them. */
static void go_on(struct attempts *attempts, unsigned aborts)
{
	for (unsigned i = 0; i < aborts; i++) {
		attempts_begin(attempts);
		attempts_end(attempts);
		attempts_begin(attempts);
		attempts_abort(attempts);
	}
}

TEST(the_newest_aborts_are_remembered_and_older_ones_are_not_guessed)
{
	struct attempts attempts = {.word = 0};
	go_on(&attempts, LOOKED_AT);
	assert_int_equal(attempts_outcome(&attempts, 1), OUTCOME_COMMITTED); /* all there ever was is known */
	assert_int_equal(attempts_outcome(&attempts, 2), OUTCOME_ABORTED);
	go_on(&attempts, 1);
	assert_int_equal(attempts_outcome(&attempts, 2), OUTCOME_UNKNOWN);
	assert_int_equal(attempts_outcome(&attempts, 3), OUTCOME_UNKNOWN);
	assert_int_equal(attempts_outcome(&attempts, 4), OUTCOME_ABORTED);
	assert_int_equal(attempts_outcome(&attempts, 5), OUTCOME_COMMITTED);
}

static struct attempts shared;
static volatile AO_t has_ended;

/* Numbers that 3 divides are aborted. */
static void *own(void *unused)
{
	for (unsigned n = 1; n <= 300000; n++) {
		attempts_begin(&shared);
		if (n % 3 == 0)
			attempts_abort(&shared);
		else
			attempts_end(&shared);
	}
	AO_store_release(&has_ended, 1);
	return unused;
}

TEST(a_verdict_asked_for_while_the_owner_goes_on_is_never_wrong)
{
	pthread_t owner;
	uint64_t decided = 0;
	assert_int_equal(pthread_create(&owner, NULL, own, NULL), 0);
	while (AO_load_acquire(&has_ended) == 0 || decided == 0) {
		uint64_t attempt = attempts_current(&shared);
		if (attempt == 0)
			continue;
		enum outcome outcome = attempts_outcome(&shared, attempt);
		if (outcome != OUTCOME_OPEN && outcome != OUTCOME_UNKNOWN) {
			assert_int_equal(outcome, attempt % 3 == 0 ? OUTCOME_ABORTED : OUTCOME_COMMITTED);
			decided++;
		}
	}
	pthread_join(owner, NULL);
}

/* ---- by the number of the thread ---- */

static struct attempts records[2];

static void unpublish(void)
{
	attempts_unpublish_all();
}

static const struct test_fixture unpublished = {unpublish, unpublish};

TEST_WITH(unpublished, attempts_are_found_by_the_number_of_their_thread)
{
	attempts_publish(&records[0], 7);
	attempts_publish(&records[1], 8);
	assert_ptr_equal(attempts_of(7), &records[0]);
	assert_ptr_equal(attempts_of(8), &records[1]);
	assert_null(attempts_of(9));
	attempts_unpublish_all();
	assert_null(attempts_of(7));
	assert_null(attempts_of(8));
}

TEST_WITH(unpublished, thread_0_is_none)
{
	assert_null(attempts_of(0));
	attempts_publish(&records[0], ATTEMPTS_THREADS);
	assert_null(attempts_of(0));
	attempts_unpublish_all();
	assert_null(attempts_of(0));
}

TEST_WITH(unpublished, the_newest_threads_are_found_and_older_ones_are_not)
{
	for (uint32_t thread = 1; thread <= 3 * ATTEMPTS_THREADS; thread++)
		attempts_publish(&records[thread % 2], thread);
	for (uint32_t thread = 1; thread <= 3 * ATTEMPTS_THREADS; thread++)
		assert_ptr_equal(
			attempts_of(thread), thread > 2 * ATTEMPTS_THREADS ? &records[thread % 2] : (void *)NULL);
}

TEST_WITH(unpublished, a_record_that_a_later_thread_uses_is_found_by_both_numbers)
{
	attempts_publish(&records[0], 7);
	attempts_publish(&records[0], 8);
	assert_ptr_equal(attempts_of(7), &records[0]);
	assert_ptr_equal(attempts_of(8), &records[0]);
}

static volatile AO_t newest;

/* These threads share a row. */
static uint32_t thread_of(AO_t n)
{
	return (uint32_t)n * ATTEMPTS_THREADS + 5;
}

static void *publish_in_turn(void *unused)
{
	struct random random = {3};
	for (AO_t n = 1; n <= stress_times(1000000); n++) {
		attempts_publish(&records[n % 2], thread_of(n));
		AO_store_release(&newest, n);
		for (uint32_t i = random_below(&random, 60); i > 0; i--)
			__asm__ volatile(""); /* the other thread looks meanwhile */
	}
	AO_store_release(&has_ended, 1);
	return unused;
}

TEST_WITH(unpublished, what_is_found_while_later_threads_come_is_never_of_one_of_these)
{
	pthread_t publisher;
	uint64_t found = 0;
	AO_store(&has_ended, 0);
	AO_store(&newest, 0);
	assert_int_equal(pthread_create(&publisher, NULL, publish_in_turn, NULL), 0);
	while (AO_load_acquire(&has_ended) == 0 || found == 0) {
		AO_t n = AO_load_acquire(&newest);
		const struct attempts *attempts = attempts_of(thread_of(n));
		if (n == 0 || attempts == NULL)
			continue;
		assert_ptr_equal(attempts, &records[n % 2]);
		found++;
	}
	pthread_join(publisher, NULL);
}
