/* SPDX-License-Identifier: MIT
 * When bursts begin and end, and when their records are whole. The test has no slots to point: rings and the clock
 * stand for other threads. */

#include "bursts.h"
#include "entries.h"
#include "phases.h"
#include "test.h"

#define US UINT64_C(1000)
#define MS (1000 * US)

/* The rings of this thread and of another one. They stay for the whole program. */
static struct itm_ring *own, *other;
static uint64_t now_ns;

static void look_at(uint64_t at_ns, bool is_wanted)
{
	now_ns = at_ns;
	itm_bursts_look(now_ns, is_wanted);
}

static bool is_open(void)
{
	return AO_load(&itm_bursts.is_open) != 0;
}

/* Time passes until there is a burst, or none. Returns when. */
static uint64_t pass_until(bool is_burst)
{
	uint64_t limit = now_ns + 10000 * MS;
	while (is_open() != is_burst && now_ns < limit)
		look_at(now_ns + 50 * US, false);
	assert_int_equal(is_open(), is_burst);
	return now_ns;
}

static void begin_transaction(struct itm_ring *ring)
{
	AO_store(&ring->site, 0x1234);
}

static void set_up(void)
{
	if (own == NULL)
		own = itm_ring_acquire(1);
	if (other == NULL)
		other = itm_ring_acquire(2);
	itm_ring_note_end(own);
	itm_ring_note_end(other);
	itm_bursts_leave(own);
	itm_bursts_leave(other);
	itm_bursts_prepare(ITM_BURSTS_REGULAR, 0);
	now_ns += 1000 * MS;
	pass_until(false);
}

static const struct test_fixture bursts_fixture = {.set_up = set_up};

/* The first test: later there are two rings. */
TEST(a_thread_that_is_alone_has_none)
{
	own = itm_ring_acquire(1);
	itm_ring_note_end(own);
	itm_bursts_prepare(ITM_BURSTS_REGULAR, 0);
	assert_false(itm_bursts_are_used());
	for (int i = 0; i < 2000; i++) {
		look_at(now_ns + 100 * US, i % 2 == 0);
		assert_false(is_open());
	}
	assert_false(itm_bursts_enter(own));
}

/* The second test: it makes the other ring. */
TEST(one_burst_begins_with_the_second_thread_and_lasts)
{
	itm_bursts_prepare(ITM_BURSTS_ONE, 0);
	look_at(now_ns + 100 * MS, true);
	assert_true(itm_bursts_is_on()); /* threads that begin together */
	look_at(now_ns + 4 * MS, false);
	assert_true(itm_bursts_enter(own));
	look_at(now_ns + 2 * MS, false);
	assert_false(is_open());
	assert_true(itm_bursts_are_settled());
	assert_false(itm_bursts_enter(own));
	begin_transaction(own);
	other = itm_ring_acquire(2);
	assert_false(itm_bursts_are_settled());
	look_at(now_ns + 10 * US, false);
	assert_true(itm_bursts_enter(other));
	assert_false(itm_bursts_is_on()); /* the first thread's transaction may have written before */
	itm_ring_note_end(own);
	look_at(now_ns + 10 * US, false);
	assert_true(itm_bursts_is_on());
	for (int i = 0; i < 1000; i++) {
		look_at(now_ns + 1 * MS, false);
		assert_true(itm_bursts_is_on());
	}
}

TEST_WITH(bursts_fixture, a_burst_takes_its_part_of_the_time_at_positions_that_differ)
{
	uint64_t open = 0, all = 0, begins = 0, before = 0, same = 0;
	for (int i = 0; i < 200000; i++) {
		bool was_open = is_open();
		look_at(now_ns + 50 * US, false);
		all++;
		open += is_open();
		if (was_open || !is_open())
			continue;
		uint64_t position = now_ns % ITM_BURST_PERIOD_NS;
		begins++;
		same += position == before;
		before = position;
	}
	assert_in_range(open * ITM_BURST_WEIGHT * 100 / all, 90, 110);
	assert_in_range(begins, 150, 320); /* in 10 s */
	assert_in_range(same, 0, begins / 10);
}

TEST_WITH(bursts_fixture, there_is_none_while_nothing_is_measured)
{
	for (int i = 0; i < 100000; i++) {
		look_at(now_ns + 50 * US, false);
		assert_false(is_open() && itm_phase_is_off(now_ns));
	}
}

TEST_WITH(bursts_fixture, it_is_whole_at_once_if_nobody_transacts)
{
	pass_until(true);
	assert_true(itm_bursts_is_on());
}

/* That transaction may have written before the slots were changed. */
TEST_WITH(bursts_fixture, it_is_whole_when_the_transactions_are_over_that_were_under_way)
{
	begin_transaction(other);
	pass_until(true);
	assert_false(itm_bursts_is_on());
	look_at(now_ns + 10 * US, false);
	assert_false(itm_bursts_is_on());
	itm_ring_note_end(other);
	begin_transaction(other); /* the next one */
	look_at(now_ns + 10 * US, false);
	assert_true(itm_bursts_is_on());
}

/* A transaction that failed and is repeated is the same. */
TEST_WITH(bursts_fixture, an_attempt_that_is_repeated_is_not_over)
{
	begin_transaction(other);
	pass_until(true);
	itm_ring_note_rollback(other, 1);
	look_at(now_ns + 10 * US, false);
	assert_false(itm_bursts_is_on());
}

TEST_WITH(bursts_fixture, a_thread_that_has_ended_keeps_nobody_waiting)
{
	begin_transaction(other);
	pass_until(true);
	itm_ring_release(other);
	look_at(now_ns + 10 * US, false);
	assert_true(itm_bursts_is_on());
	other = itm_ring_acquire(2);
}

TEST_WITH(bursts_fixture, between_bursts_a_transaction_has_no_barriers)
{
	assert_false(itm_bursts_enter(own));
	pass_until(true);
	assert_true(itm_bursts_enter(own));
}

TEST_WITH(bursts_fixture, it_lasts_until_the_transactions_that_need_it_are_over_but_is_not_on_for_others)
{
	pass_until(true);
	assert_true(itm_bursts_is_on());
	assert_true(itm_bursts_enter(own));
	look_at(now_ns + 4 * ITM_BURST_OF(ITM_BURST_PERIOD_NS), false);
	assert_true(is_open());
	assert_false(itm_bursts_is_on());
	itm_bursts_leave(own);
	pass_until(false);
}

TEST_WITH(bursts_fixture, it_is_cut_when_it_has_lasted_twice_as_long_as_it_should)
{
	uint64_t opened_ns = pass_until(true);
	assert_true(itm_bursts_enter(other));
	assert_false(itm_bursts_was_cut(other));
	uint64_t lasted_ns = pass_until(false) - opened_ns, should_ns = ITM_BURST_OF(ITM_BURST_PERIOD_NS);
	assert_in_range(lasted_ns, should_ns * 19 / 10, should_ns * 22 / 10);
	assert_true(itm_bursts_was_cut(other));
	assert_false(itm_bursts_enter(own));
	pass_until(true);
	assert_true(itm_bursts_was_cut(other));
	assert_true(itm_bursts_enter(own));
	assert_false(itm_bursts_was_cut(own));
}

TEST_WITH(bursts_fixture, it_is_not_late_any_more_once_a_thread_has_asked_for_it)
{
	pass_until(true);
	assert_true(itm_bursts_enter(other));
	look_at(now_ns + 4 * ITM_BURST_OF(ITM_BURST_PERIOD_NS), false); /* late */
	look_at(now_ns, true);
	look_at(now_ns + 2 * MS, false);
	assert_true(is_open());
	assert_false(itm_bursts_was_cut(other));
}

TEST_WITH(bursts_fixture, a_thread_that_ends_in_a_transaction_does_not_keep_it)
{
	pass_until(true);
	assert_true(itm_bursts_enter(other));
	itm_ring_release(other);
	pass_until(false);
	other = itm_ring_acquire(2);
}

TEST_WITH(bursts_fixture, it_lasts_as_long_as_a_thread_asks_for_it)
{
	for (int i = 0; i < 1000; i++) {
		look_at(now_ns + 100 * US, true);
		assert_true(itm_bursts_is_on());
	}
	pass_until(false);
}

/* The transaction that asks for a burst is not over when the burst should end. */
TEST_WITH(bursts_fixture, bursts_that_transactions_ask_for_take_as_much_of_the_time_as_others_late_or_not)
{
	uint64_t open = 0, all = 0;
	for (; all < 200000; all++) {
		if (!is_open()) {
			itm_bursts_ask(own, now_ns, 100 * US);
			itm_bursts_enter(own);
		}
		look_at(now_ns + 50 * US, false);
		open += is_open();
	}
	itm_bursts_leave(own);
	assert_in_range(open * ITM_BURST_WEIGHT * 100 / all, 180, 250);
}

TEST_WITH(bursts_fixture, a_forked_child_goes_on)
{
	itm_bursts_before_fork();
	look_at(now_ns + ITM_BURST_PERIOD_NS, true); /* another thread does not change anything now */
	assert_false(is_open());
	itm_bursts_after_fork();
	pass_until(true);
}

/* One processor, and the threads of all these rings are in transactions. */
TEST_WITH(bursts_fixture, in_a_crowd_it_is_ready_before_it_is_whole_and_no_longer)
{
	enum { THREADS = 5 };
	struct itm_ring *rings[THREADS];
	for (int i = 0; i < THREADS; i++) {
		rings[i] = itm_ring_acquire((uint32_t)(3 + i));
		begin_transaction(rings[i]);
	}
	itm_bursts_prepare(ITM_BURSTS_REGULAR, 1);
	uint64_t at_ns = pass_until(true);
	assert_false(itm_bursts_is_on());
	while (is_open() && !itm_bursts_is_on())
		look_at(now_ns + 50 * US, false);
	assert_true(itm_bursts_is_on());
	assert_int_equal(AO_load(&itm_bursts.is_whole), 0);
	assert_true(pass_until(false) - at_ns < 2 * ITM_BURST_OF(ITM_BURST_PERIOD_NS));
	assert_false(itm_bursts_is_on());
	for (int i = 0; i < THREADS; i++) {
		itm_ring_note_end(rings[i]);
		itm_ring_release(rings[i]);
	}
}

/* Returns how long some bursts take together. Of a single one a part may lie in an off phase. */
static uint64_t pass_bursts(void)
{
	uint64_t sum_ns = 0;
	for (int i = 0; i < 32; i++) {
		uint64_t opened_ns = pass_until(true);
		sum_ns += pass_until(false) - opened_ns;
	}
	return sum_ns;
}

/* The last test but one: it makes them longer. */
TEST_WITH(bursts_fixture, where_transactions_take_longer_bursts_do_too)
{
	uint64_t before_ns = pass_bursts();
	begin_transaction(other);
	pass_until(true);
	pass_until(false);
	itm_ring_note_end(other);
	assert_in_range(pass_bursts(), before_ns * 3 / 2, before_ns * 5 / 2);
}

/* The last test: there are none any more. */
TEST_WITH(bursts_fixture, where_longer_bursts_do_not_help_barriers_are_hooked_all_the_time)
{
	begin_transaction(other);
	for (int i = 0; i < 1000000 && itm_bursts_are_used(); i++)
		look_at(now_ns + 50 * US, false);
	assert_false(itm_bursts_are_used());
	look_at(now_ns + 100 * MS, false);
	assert_true(is_open());
	assert_true(itm_bursts_enter(own));
	assert_false(itm_bursts_is_on()); /* until that transaction is over */
	itm_ring_note_end(other);
	look_at(now_ns + 100 * MS, false);
	assert_true(itm_bursts_is_on());
	look_at(now_ns + 1000 * MS, false);
	assert_true(itm_bursts_is_on());
}
