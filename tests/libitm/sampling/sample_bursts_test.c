/* SPDX-License-Identifier: MIT
 * Which transactions are measured where others have transactions, too: closely only in bursts. */
#include "bursts.h"
#include "fake_transaction.h"
#include "sample_program.h"

static struct itm_ring *second;

/* For the tests below: there are bursts, since another thread has a ring. */
static void set_up_bursts(void)
{
	set_up();
	if (second == NULL)
		second = itm_ring_acquire(2);
	itm_ring_note_end(ring);
	itm_ring_note_end(second);
	itm_bursts_prepare(ITM_BURSTS_REGULAR, 0);
	itm_agent.has_counters = itm_agent.has_totals = itm_agent.has_steady_tsc = true;
	begin_with(NATIVE_SAMPLE_AUTO);
}

static void tear_down_bursts(void)
{
	for (int looks = 0; AO_load(&itm_bursts.is_open) == 0 || AO_load(&itm_bursts.is_whole) == 0; looks++) {
		assert_true(looks < 10000);
		fake_clock_advance(1000000);
		itm_bursts_look(fake_clock_now_ns(), true);
	}
	itm_bursts_prepare(ITM_BURSTS_NONE, 0);
	session_tear_down();
}

static const struct test_fixture burst_fixture = {set_up_bursts, tear_down_bursts};

/* Timed transactions are not reported: so the account's estimate is that of the weights of those measured closely. */
static void transact_in_bursts(struct program *program, uint64_t ns)
{
	uint64_t measured = program->measured;
	bool is_measured = begin(program) != 0;
	if (program->measured != measured && (itm_self.sampling.close_in > 1 || itm_self.sampling.is_beside_many))
		assert_true(itm_bursts_is_on());
	fake_clock_advance(ns);
	if (is_measured && program->measured != measured)
		stmlog_commit(itm_self.thread);
	else
		itm_counts_add(&itm_self.ring->counts.commits);
}

/* The first transactions are all measured closely, with weight 1. */
TEST_WITH(burst_fixture, with_bursts_both_kinds_stand_for_all_transactions)
{
	static const uint64_t lengths_ns[] = {200, 2000, 20000};
	for (size_t i = 0; i < sizeof lengths_ns / sizeof *lengths_ns; i++) {
		struct program program = {.random = {11}};
		const double all = 4e9 / (double)lengths_ns[i];
		tear_down_bursts();
		set_up_bursts();
		for (uint64_t k = 0; k < (uint64_t)all; k++)
			transact_in_bursts(&program, lengths_ns[i]);
		double stand_for = (double)account_of(me()).estimated_committed_ns / (double)lengths_ns[i];
		print_message("%5u ns, every %u, closely in %u: measured %u, for %.3f of all; timed %u, for %.3f\n",
			(unsigned)lengths_ns[i], itm_self.sampling.every, itm_self.sampling.close_in,
			(unsigned)program.measured, stand_for / all, (unsigned)program.timed,
			program.timed_weight / all);
		assert_true(program.timed_weight > 0.95 * all && program.timed_weight < 1.05 * all);
		double interval = itm_self.sampling.every * itm_self.sampling.close_in;
		double max_often = 4 * ITM_BURST_WEIGHT, first = 576;
		double expected = all / (interval > max_often ? interval : max_often) + first;
		assert_true((double)program.measured > 0.8 * expected && (double)program.measured < 1.2 * expected);
		assert_true(stand_for > 0.8 * all);
	}
}

TEST_WITH(burst_fixture, in_a_burst_at_max_one_in_four_is_measured_closely)
{
	struct program program = {.random = {12}};
	uint64_t in_bursts = 0, before;
	while (itm_self.sampling.close_in == 1)
		transact_in_bursts(&program, 20000);
	before = program.measured;
	for (int k = 0; k < 300000; k++) {
		transact_in_bursts(&program, 20000);
		in_bursts += itm_bursts_is_on();
	}
	assert_in_range(program.measured - before, in_bursts / 5, in_bursts * 3 / 10);
}

/* ---- few transactions beside many ---- */

/* The other thread. */
static struct itm_thread other;

static void switch_threads(void)
{
	struct itm_thread self = itm_self;
	itm_self = other;
	other = self;
}

/* The other thread has so many transactions in `ns`. */
static void let_other_transact(struct program *program, uint64_t many, uint64_t ns)
{
	switch_threads();
	for (uint64_t k = 0; k < many; k++)
		transact_in_bursts(program, 1000);
	switch_threads();
	fake_clock_advance(ns - 1000 * many);
}

/* A thousand transactions a second of one thread, and between each two of them `many` of the other one. Returns during
 * how many of the latter half, in thousandths, the data barriers were the hooks. */
static uint64_t burst_thousandths(struct program *few, uint64_t transactions, uint64_t many)
{
	struct program program = {.random = {14}};
	uint64_t in_bursts = 0;
	for (uint64_t i = 0; i < transactions; i++) {
		transact_in_bursts(few, 1000);
		in_bursts += i >= transactions / 2 && AO_load(&itm_bursts.is_open) != 0;
		let_other_transact(&program, many, 999000);
	}
	return in_bursts * 2000 / transactions;
}

static void begin_two_threads(void)
{
	other = (struct itm_thread){.thread = stmlog_thread_self(), .ring = second};
	itm_counts_begin(&second->counts, 0, NULL);
	switch_threads();
	begin_with(NATIVE_SAMPLE_AUTO);
	switch_threads();
}

TEST_WITH(burst_fixture, few_transactions_are_all_measured_closely)
{
	struct program few = {.random = {13}};
	begin_two_threads();
	assert_int_equal(burst_thousandths(&few, 4000, 0), 1000);
	assert_int_equal(few.measured, few.transactions);
}

/* Bursts are five quarters of one part in ITM_BURST_WEIGHT while there is no off phase. */
TEST_WITH(burst_fixture, few_transactions_beside_many_are_measured_closely_in_bursts_and_else_timed)
{
	struct program few = {.random = {13}};
	begin_two_threads();
	assert_in_range(burst_thousandths(&few, 4000, 200), 640 / ITM_BURST_WEIGHT, 1920 / ITM_BURST_WEIGHT);
	assert_in_range(few.measured, 2000 / ITM_BURST_WEIGHT, 16000 / ITM_BURST_WEIGHT); /* with the first ones */
	assert_true(few.measured + few.timed > 3900 * 9 / 10);                            /* no off phases */
}

/* Restarts once. Returns whether the transaction was not measured closely. */
static bool restart_in_bursts(struct program *program)
{
	uint64_t measured = program->measured;
	set_fake_transaction(true);
	transact_in_bursts(program, 1000);
	fake_transaction.restarts[ITM_REASON_LOCKED_READ]++;
	bool is_measured = program->measured != measured;
	if (is_measured)
		itm_counts_resume(&ring->counts, itm_restarts());
	set_fake_transaction(false);
	return !is_measured;
}

TEST_WITH(burst_fixture, restarts_of_few_transactions_beside_many_are_counted_if_these_are_not_measured)
{
	struct program few = {.random = {16}}, many = {.random = {17}};
	struct stmlog_unmeasured_counts counts;
	uint64_t restarts = 0;
	begin_two_threads();
	itm_counts_begin(&ring->counts, 0, itm_transaction_slot());
	for (int i = 0; i < 2000; i++) {
		restarts += restart_in_bursts(&few);
		let_other_transact(&many, 200, 999000);
	}
	assert_in_range(restarts, 1000, 1999);
	set_fake_transaction(true);
	bool is_read = itm_counts_read(ring, &counts);
	set_fake_transaction(false);
	assert_true(is_read);
	assert_int_equal(counts.aborts, restarts);
}

/* Their data barriers cost so much that few of them are measured, and it would take long until that is settled. */
TEST_WITH(burst_fixture, few_transactions_of_many_accesses_keep_to_bursts_at_once_beside_many)
{
	struct program few = {.random = {18}}, many = {.random = {19}};
	uint64_t in_bursts = 0;
	begin_two_threads();
	for (int i = 0; i < 400; i++) {
		uint64_t measured = few.measured;
		transact_in_bursts(&few, 100000);
		itm_self.sampling.reads += few.measured != measured ? 2000 : 0;
		in_bursts += i >= 200 && AO_load(&itm_bursts.is_open) != 0;
		let_other_transact(&many, 200, 900000);
	}
	assert_true(itm_self.sampling.close_in > 1);
	assert_in_range(in_bursts, 1, 200 / 5);
}

/* A thread whose transactions are left alone soon is done with the burst as soon, however rarely it is measured. */
TEST_WITH(burst_fixture, the_first_burst_ends_after_some_hundred_transactions)
{
	struct program program = {.random = {15}};
	uint64_t in_bursts = 0;
	for (int i = 0; i < 20000; i++) {
		transact_in_bursts(&program, 50000);
		in_bursts += i >= 1000 && AO_load(&itm_bursts.is_open) != 0;
	}
	assert_in_range(in_bursts, 0, 19000 / 8);
}
