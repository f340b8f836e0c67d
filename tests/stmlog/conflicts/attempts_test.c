/* SPDX-License-Identifier: MIT
 * How an attempt ended, as another thread sees it. */
#include <pthread.h>

#include "attempts.h"
#include "test.h"

#define LOOKED_AT (ATTEMPTS_REMEMBERED / 2)

TEST(an_attempt_is_open_until_it_ends)
{
	struct attempts attempts = {.word = 0};
	assert_int_equal(attempts_under_way(&attempts), 0);
	attempts_begin(&attempts);
	assert_int_equal(attempts_current(&attempts), 1);
	assert_int_equal(attempts_under_way(&attempts), 1);
	assert_int_equal(attempts_outcome(&attempts, 1), OUTCOME_OPEN);
	attempts_end(&attempts);
	assert_int_equal(attempts_under_way(&attempts), 0);
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
