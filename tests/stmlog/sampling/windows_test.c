/* SPDX-License-Identifier: MIT
 * A thread's windows, as it begins transactions one after the other: how much of the time they have, and which weight
 * that gives each transaction. */
#include "windows.h"

#include "test.h"

#define US 1000u
#define MS (1000u * US)

/* A thread that does nothing but transactions. Each makes so many origins, if it is measured. */
struct worker {
	struct window window;
	struct window_work work;
	uint64_t now_ns, left, open_ns, measured, all, origins;
	bool is_open;
};

/* One transaction begins, and takes `ns`. Returns whether it was measured. */
static bool transact(struct worker *worker, uint64_t ns, uint32_t fixed)
{
	if (worker->left == 0) {
		worker->is_open = window_look(&worker->window, worker->now_ns, &worker->work, fixed);
		worker->left = AO_load(&worker->window.drawn);
	}
	worker->left--;
	worker->now_ns += ns;
	worker->all++;
	worker->measured += worker->is_open;
	worker->work.events += worker->is_open ? 2 : 0;
	worker->work.origins += worker->is_open ? worker->origins : 0;
	worker->open_ns += worker->is_open ? ns : 0;
	return worker->is_open;
}

static void transact_for(struct worker *worker, uint64_t until_ns, uint64_t ns, uint32_t fixed)
{
	while (worker->now_ns < until_ns)
		transact(worker, ns, fixed);
}

/* Measured transactions, and those that passed while the window was closed. */
static uint64_t counted(const struct worker *worker)
{
	uint64_t drawn = AO_load(&worker->window.drawn);
	return worker->measured + AO_load(&worker->window.passed) + (worker->is_open ? 0 : drawn - worker->left);
}

/* Both within a part in `parts` of the second. */
static void assert_near(uint64_t number, uint64_t expected, uint64_t parts)
{
	assert_in_range(number, expected - expected / parts, expected + expected / parts);
}

TEST(few_transactions_are_all_measured)
{
	struct worker worker = {.now_ns = 12345};
	transact_for(&worker, 10000ull * MS, 100 * US, 0);
	assert_int_equal(worker.measured, worker.all);
	assert_int_equal(worker.window.weight, 1);
}

TEST(many_transactions_are_measured_for_a_part_of_the_time_that_the_weight_tells)
{
	static const uint64_t lengths_ns[] = {50, 500, 3000};
	static const uint32_t weights[] = {512, 32, 8};
	for (int i = 0; i < 3; i++) {
		struct worker worker = {.now_ns = 7};
		transact_for(&worker, 100 * MS, lengths_ns[i], 0);
		assert_int_equal(worker.window.weight, weights[i]);
		worker.open_ns = 0;
		transact_for(&worker, 2100ull * MS, lengths_ns[i], 0);
		assert_near(worker.open_ns, 2000ull * MS / weights[i], 20);
		assert_int_equal(counted(&worker), worker.all);
	}
}

/* What measuring takes from then on, in parts of a thousand: transactions of `ns`, each with so many origins. As in the
 * hooks, one in some thousand is timed. */
static uint64_t thousandths_for_origins(uint64_t ns, uint64_t origins, uint64_t origin_ns)
{
	struct worker worker = {.now_ns = 7, .origins = origins};
	uint64_t measuring_ns = 0;
	while (worker.now_ns < 2000ull * MS) {
		uint64_t cost_ns = transact(&worker, ns, 0) ? 57 + origins * origin_ns : 0;
		worker.now_ns += cost_ns;
		worker.work.origins_timed = worker.work.origins / 4096;
		worker.work.origins_ns = worker.work.origins_timed * origin_ns;
		measuring_ns += worker.now_ns > 1000ull * MS ? cost_ns : 0;
	}
	return measuring_ns / MS;
}

TEST(origins_and_transactions_take_a_hundredth_of_the_time)
{
	static const uint64_t origins[] = {0, 2, 10, 370, 1000};
	for (int i = 0; i < 5; i++) {
		assert_in_range(thousandths_for_origins(20 * US, origins[i], 10), 0, 11);
		assert_in_range(thousandths_for_origins(20 * US, origins[i], 40), 0, 11);
		assert_in_range(thousandths_for_origins(2 * US, origins[i], 5), 0, 11);
	}
}

TEST(an_origin_that_took_long_is_no_reason_to_measure_little)
{
	struct worker worker = {.now_ns = 7, .origins = 2};
	worker.work.origins_timed = 1;
	worker.work.origins_ns = 2000;
	transact_for(&worker, 100 * MS, 100 * US, 0);
	assert_int_equal(worker.window.weight, 1);
}

TEST(aborts_and_waits_count_as_well)
{
	struct worker worker = {.now_ns = 7};
	while (worker.now_ns < 100 * MS)
		worker.work.events += transact(&worker, 100 * US, 0) ? 50 : 0;
	assert_int_equal(worker.window.weight, 4);
}

/* The hooks take a seventh of what the runtime adds to each measured transaction. */
TEST(a_runtimes_own_work_for_measured_transactions_counts)
{
	struct worker worker = {.now_ns = 7, .origins = 100};
	uint64_t added_ns = 0;
	while (worker.now_ns < 4000ull * MS) {
		uint64_t more_ns = transact(&worker, 33 * US, 0) ? 8 * US : 0;
		worker.now_ns += more_ns;
		added_ns += worker.now_ns > 2000ull * MS ? more_ns : 0;
	}
	assert_in_range(added_ns / (2 * MS), 1, 11);
}

/* As when a time slice without a processor falls into a window. */
TEST(one_long_transaction_of_a_window_raises_the_weight_by_eight_at_most)
{
	struct worker worker = {.now_ns = 7};
	transact_for(&worker, 1000ull * MS, 3 * US, 0);
	uint32_t weight = worker.window.weight;
	while (!transact(&worker, 3 * US, 0))
		;
	worker.now_ns += 1000ull * MS;
	for (uint64_t until_ns = worker.now_ns + 1000ull * MS; worker.now_ns < until_ns;) {
		transact(&worker, 3 * US, 0);
		assert_in_range(worker.window.weight, weight / 2, 8 * weight);
	}
}

/* Two threads whose transactions are of one length, so that each is late by as much. */
TEST(a_shorter_window_lies_within_a_longer_one)
{
	struct worker longer = {.now_ns = 7}, shorter = {.now_ns = 7};
	uint64_t windows = 0;
	while (longer.now_ns < 2000ull * MS) {
		bool is_longer = transact(&longer, US, 4), was_open = shorter.is_open;
		bool begins = transact(&shorter, US, 64) && !was_open;
		windows += begins;
		if (begins)
			assert_true(is_longer);
	}
	assert_in_range(windows, 123, 126);
}

TEST(the_user_chooses_the_weight)
{
	static const uint32_t chosen[] = {1, 2, 10, 100};
	for (int i = 0; i < 4; i++) {
		struct worker worker = {.now_ns = 7};
		transact_for(&worker, 2000ull * MS, 1000, chosen[i]);
		assert_near(worker.open_ns, 2000ull * MS / chosen[i], 20);
		assert_int_equal(worker.window.weight, chosen[i]);
	}
}

TEST(the_windows_of_two_threads_lie_at_the_same_times)
{
	struct worker one = {.now_ns = 7}, other = {.now_ns = 5 * MS};
	uint64_t both_ns = 0;
	transact_for(&one, 100 * MS, 300, 16);
	transact_for(&other, 100 * MS, 700, 16);
	one.open_ns = 0;
	while (one.now_ns < 2000ull * MS) {
		bool is_open = transact(&one, 300, 16);
		transact_for(&other, one.now_ns, 700, 16);
		both_ns += is_open && other.is_open ? 300 : 0;
	}
	assert_true(both_ns > one.open_ns * 9 / 10);
}

TEST(a_thread_that_has_fewer_transactions_than_before_is_measured_more_again)
{
	struct worker worker = {.now_ns = 7};
	transact_for(&worker, 100 * MS, 50, 0);
	assert_int_equal(worker.window.weight, 512);
	transact_for(&worker, 2000ull * MS, 100 * US, 0);
	assert_int_equal(worker.window.weight, 1);
	transact_for(&worker, 2100ull * MS, 50, 0);
	assert_int_equal(worker.window.weight, 512);
}

/* Every tenth takes a hundred times as long: it is as often among those measured as among all. */
TEST(long_transactions_are_measured_as_often_as_short_ones)
{
	struct worker worker = {.now_ns = 7};
	uint64_t lengthy = 0;
	for (int i = 0; i < 2000000; i++)
		lengthy += transact(&worker, i % 10 == 3 ? 10000 : 100, 16) && i % 10 == 3;
	assert_near(lengthy, worker.measured / 10, 20);
	assert_near(worker.measured, worker.all / 16, 20);
}

/* As when the thread had no processor. */
TEST(a_thread_that_looks_late_goes_on_with_the_next_window)
{
	struct worker worker = {.now_ns = 7};
	transact_for(&worker, 100 * MS, 500, 0);
	worker.now_ns += 5000ull * MS;
	worker.open_ns = 0;
	transact_for(&worker, 7100ull * MS, 500, 0);
	assert_near(worker.open_ns, 2000ull * MS / 32, 10);
	assert_int_equal(counted(&worker), worker.all);
}
