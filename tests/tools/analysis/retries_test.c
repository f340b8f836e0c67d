/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "retries.h"

/* Two threads: 1,000 measured commits with 250 aborts of 400 ns, of 64,000 commits with 80,000 aborts. */
static struct stmlog_thread_record threads[2];
static struct recording recording;

static int setup(void **state)
{
	(void)state;
	threads[0] = (struct stmlog_thread_record){
		.attached_ns = 100000000,
		.commits = 600,
		.aborts = {100, 20, 30, 0},
		.unmeasured_commits = 40000,
		.unmeasured_aborts = 50000,
		.estimated_aborted_ns = {3000000, 400000, 440000, 0},
	};
	threads[1] = (struct stmlog_thread_record){
		.attached_ns = 100000000,
		.commits = 400,
		.aborts = {0, 0, 0, 60},
		.aborts_data = 40,
		.unmeasured_commits = 23000,
		.unmeasured_aborts = 29750,
		.estimated_aborted_ns = {0, 0, 0, 1560000},
		.estimated_aborted_data_ns = 1000000,
	};
	recording = (struct recording){
		.info = {.method = "", .sampled = 1, .sample_every = 64, .commits_known = 1, .counters_known = 1},
		.has_estimates = true,
		.threads = threads,
		.thread_count = 2,
	};
	return 0;
}

static void the_most_is_the_mean_for_each_abort_of_all(void **state)
{
	(void)state;
	struct retries retries = retries_of(&recording);
	assert_true(retries.is_known);
	assert_true(retries.measured > 0.24999 && retries.measured < 0.25001);
	assert_true(retries.all > 1.24999 && retries.all < 1.25001);
	/* 64,000 * 0.25 aborts in 6.4 ms are 400 ns each, and there were 80,000. */
	assert_in_range(retries.aborted_most_ns, 31999999, 32000001);
}

static void it_is_never_more_than_there_was_time(void **state)
{
	(void)state;
	threads[0].attached_ns = threads[1].attached_ns = 10000000;
	assert_int_equal(retries_of(&recording).aborted_most_ns, 20000000);
}

static void it_is_not_known_without_exact_counts_or_enough_of_them(void **state)
{
	(void)state;
	recording.info.counters_known = 0;
	assert_false(retries_of(&recording).is_known);
	setup(NULL);
	recording.info.commits_known = 0;
	assert_false(retries_of(&recording).is_known);
	setup(NULL);
	recording.has_estimates = false;
	assert_false(retries_of(&recording).is_known);
	setup(NULL);
	threads[0].aborts[0] = 0;
	threads[1].aborts[3] = 10;
	assert_true(retries_of(&recording).is_known); /* 100 */
	threads[1].aborts[3] = 9;
	assert_false(retries_of(&recording).is_known);
}

static void where_all_is_measured_there_is_nothing_to_know(void **state)
{
	(void)state;
	recording.info.sampled = 0;
	recording.info.sample_every = 1;
	assert_false(retries_of(&recording).is_known);
	assert_false(retries_of(&(struct recording){.info = {.method = "", .sampled = 1}}).is_known);
}

static void measured_ones_that_abort_more_often_say_nothing(void **state)
{
	(void)state;
	threads[0].unmeasured_aborts = threads[1].unmeasured_aborts = 0;
	assert_false(retries_of(&recording).is_known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_most_is_the_mean_for_each_abort_of_all, setup),
		cmocka_unit_test_setup(it_is_never_more_than_there_was_time, setup),
		cmocka_unit_test_setup(it_is_not_known_without_exact_counts_or_enough_of_them, setup),
		cmocka_unit_test_setup(where_all_is_measured_there_is_nothing_to_know, setup),
		cmocka_unit_test_setup(measured_ones_that_abort_more_often_say_nothing, setup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
