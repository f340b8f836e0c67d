/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stmlog/stmlog.h>

#include "account.h"

/* Each contention has another number, so that none can stand for another. */
static const struct stmlog_thread_record thread = {
	.attached_ns = 100000,
	.outside_ns = 100000 - 11111 - 500,
	.committed_ns = 500,
	.aborted_ns = {1, 10, 100, 1000},
	.aborted_data_ns = 10000,
	.aborts = {2, 20, 200, 2000},
	.aborts_data = 20000,
	.unmeasured_aborts = 700000,
	.estimated_committed_ns = 500,
	.estimated_aborted_ns = {3, 30, 300, 3000},
	.estimated_aborted_data_ns = 30000,
};

static void aborts_of_each_contention_are_found(void **state)
{
	uint64_t digit = 1;
	(void)state;
	for (uint32_t contention = 0; contention < STMLOG_CONTENTIONS; contention++, digit *= 10) {
		struct account_aborts aborts = account_aborts(&thread, contention);
		assert_int_equal(aborts.lost_ns, digit);
		assert_int_equal(aborts.count, 2 * digit);
		assert_int_equal(aborts.estimated_ns, 3 * digit);
	}
}

static void an_account_has_the_aborts_of_all(void **state)
{
	(void)state;
	struct account account = account_of(&thread);
	assert_int_equal(account.aborted_ns, 11111);
	assert_int_equal(account.aborts, 722222);
	assert_int_equal(account_residual(&account), 0);
	struct recording recording = {.info = {.sampled = 1, .sample_every = 2}, .threads = &thread, .thread_count = 1};
	struct account estimate = account_estimate_total(&recording);
	assert_int_equal(estimate.aborted_ns, 33333);
	assert_int_equal(account_residual(&estimate), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aborts_of_each_contention_are_found),
		cmocka_unit_test(an_account_has_the_aborts_of_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
