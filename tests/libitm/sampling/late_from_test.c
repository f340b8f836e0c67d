/* SPDX-License-Identifier: MIT
 * From which failed attempt on transactions are measured late. Time is a number that the test passes. */

#include "agent.h"
#include "late_from.h"
#include "test.h"

#define MS UINT64_C(1000000)
#define PERIOD_NS (5 * MS)

static struct itm_thread self;
static uint64_t now_ns;

static void set_up(void)
{
	now_ns = 1000 * MS;
	itm_agent.processors = 2;
	AO_store(&itm_rings_owned, 1);
	itm_late_from_begin(&self, now_ns);
}

static const struct test_fixture fixture = {.set_up = set_up};

/* A period in which so many transactions are timed late, each of which loses `lost_ns`. Returns what is chosen. */
static uint64_t pass(unsigned transactions, double timing_ns, double lost_ns)
{
	for (unsigned i = 0; i < transactions; i++)
		itm_late_timing_took(&self, timing_ns);
	self.late.lost_ns += transactions * lost_ns;
	now_ns += PERIOD_NS;
	itm_late_from_choose(&self, now_ns);
	return self.watch.late_from;
}

/* ---- claims ---- */

TEST_WITH(fixture, the_third_attempt_is_the_first_to_be_measured)
{
	assert_int_equal(self.watch.late_from, 2);
	assert_int_equal(pass(0, 0, 0), ITM_LATE_MIN);
}

TEST_WITH(fixture, more_than_half_a_percent_of_the_time_is_too_much)
{
	assert_int_equal(pass(25, 1000, 1e9), 2);
	assert_int_equal(pass(26, 1000, 1e9), 4);
}

TEST_WITH(fixture, timing_short_attempts_disturbs_them_in_less_time)
{
	assert_int_equal(pass(100, 100, 2001), 2);
	assert_int_equal(pass(100, 100, 1999), 4);
}

TEST_WITH(fixture, rare_transactions_are_not_disturbed)
{
	assert_int_equal(pass(25, 100, 1), 2);
	assert_int_equal(pass(26, 100, 1), 4);
}

TEST_WITH(fixture, it_shrinks_only_if_it_would_not_grow_at_once)
{
	assert_int_equal(pass(100, 1000, 1e9), 4);
	assert_int_equal(pass(7, 1000, 1e9), 4);
	assert_int_equal(pass(6, 1000, 1e9), 2);
}

TEST_WITH(fixture, it_stays_within_its_bounds)
{
	for (int i = 0; i < 10; i++)
		pass(1000, 1000, 0);
	assert_int_equal(self.watch.late_from, ITM_LATE_MAX);
	for (int i = 0; i < 10; i++)
		pass(0, 0, 0);
	assert_int_equal(self.watch.late_from, ITM_LATE_MIN);
}

TEST_WITH(fixture, costs_add_up_over_a_period)
{
	itm_late_timing_took(&self, 25001);
	itm_late_from_choose(&self, now_ns + PERIOD_NS - 1);
	assert_int_equal(self.watch.late_from, 2);
	itm_late_from_choose(&self, now_ns + PERIOD_NS);
	assert_int_equal(self.watch.late_from, 4);
}

/* On two processors nine threads are a crowd: each has a processor for two ninths of the time. */
TEST_WITH(fixture, a_thread_of_a_crowd_may_spend_a_share_of_its_part_of_the_processors)
{
	AO_store(&itm_rings_owned, 9);
	self.late.lost_ns = 1e9;
	itm_late_timing_took(&self, 25001);
	itm_late_from_choose(&self, now_ns + 1);
	assert_int_equal(self.watch.late_from, 4); /* at once, and not after a period */
	self.late.lost_ns = 1e9;
	itm_late_timing_took(&self, 24999);
	itm_late_from_choose(&self, now_ns + 4 * PERIOD_NS); /* its period is longer, and not over */
	assert_int_equal(self.watch.late_from, 4);
	itm_late_timing_took(&self, 2);
	itm_late_from_choose(&self, now_ns + 4 * PERIOD_NS);
	assert_int_equal(self.watch.late_from, 8);
}

TEST_WITH(fixture, eight_threads_on_two_processors_are_no_crowd)
{
	AO_store(&itm_rings_owned, 8);
	itm_late_timing_took(&self, 25001);
	itm_late_from_choose(&self, now_ns + PERIOD_NS - 1);
	assert_int_equal(self.watch.late_from, 2);
}
