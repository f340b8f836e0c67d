/* SPDX-License-Identifier: MIT
 * The counts of transactions that were not measured, as other threads read them. An array stands for libitm's memory.
 */

#include <pthread.h>
#include <string.h>

#include "agent.h"
#include "counts.h"
#include "random.h"
#include "session_fixture.h"
#include "stress.h"
#include "test.h"
#include "thread.h"

/* libitm's struct of the thread, and the thread's pointer to it. */
static struct transaction {
	_Alignas(8) char before[0xf0];
	volatile uint32_t counters[ITM_REASONS];
} transaction;
static const char *slot;

static struct itm_ring *ring;

static void set_up(void)
{
	session_set_up();
	memset((void *)&transaction, 0, sizeof transaction);
	slot = (const char *)&transaction;
	itm_agent.has_counters = itm_agent.has_totals = true;
	itm_layout_use(&(struct itm_layout){.counters = offsetof(struct transaction, counters)});
	ring = itm_ring_acquire(1);
	assert_non_null(ring);
	itm_counts_begin(&ring->counts, 0, &slot);
}

static void tear_down(void)
{
	itm_ring_release(ring);
	session_tear_down();
}

static const struct test_fixture fixture = {set_up, tear_down};

static uint64_t sum(void)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < ITM_REASONS; i++)
		sum += transaction.counters[i];
	return sum;
}

static void stand_aside(void)
{
	itm_counts_note(&ring->counts, sum());
	itm_counts_pause(&ring->counts);
}

static void assert_counts(uint64_t commits, uint64_t aborts)
{
	struct stmlog_unmeasured_counts counts;
	assert_true(itm_counts_read(ring, &counts));
	assert_int_equal(counts.commits, commits);
	assert_int_equal(counts.aborts, aborts);
}

TEST_WITH(fixture, what_a_thread_has_counted_is_read_at_once)
{
	assert_counts(0, 0);
	itm_counts_add(&ring->counts.commits);
	itm_counts_add(&ring->counts.commits);
	itm_counts_add(&ring->counts.cancels);
	transaction.counters[ITM_REASON_LOCKED_READ] += 5;
	transaction.counters[ITM_REASON_INIT_METHOD_GROUP] += 2;
	assert_counts(2, 8);
	assert_int_equal(itm_counts_over(&ring->counts), 3);
}

TEST_WITH(fixture, restarts_of_measured_transactions_are_left_out)
{
	transaction.counters[0] += 3;
	assert_int_equal(itm_counts_new(&ring->counts, sum()), 3);
	stand_aside();
	transaction.counters[0] += 10;
	assert_counts(0, 3);
	itm_counts_resume(&ring->counts, sum());
	assert_counts(0, 3);
	transaction.counters[1]++;
	assert_counts(0, 4);
	stand_aside();
	stand_aside(); /* the thread ends within it */
	assert_counts(0, 4);
}

TEST_WITH(fixture, a_struct_that_libitm_has_made_anew_counts_from_zero)
{
	transaction.counters[0] = 8;
	stand_aside();
	itm_counts_resume(&ring->counts, sum());
	slot = NULL;
	assert_counts(0, 8);
	slot = (const char *)&transaction;
	transaction.counters[0] = 2;
	assert_counts(0, 10);
}

TEST_WITH(fixture, the_next_owner_of_a_ring_starts_from_zero)
{
	itm_counts_add(&ring->counts.commits);
	itm_counts_add(&ring->counts.cancels);
	transaction.counters[0] = 8;
	itm_counts_begin(&ring->counts, sum(), &slot);
	assert_counts(0, 0);
	assert_int_equal(itm_counts_over(&ring->counts), 0);
	transaction.counters[0]++;
	assert_counts(0, 1);
}

TEST_WITH(fixture, counters_that_cannot_be_read_make_the_counts_incomplete)
{
	struct stmlog_unmeasured_counts counts;
	itm_counts_add(&ring->counts.commits);
	transaction.counters[0] = 8;
	itm_counts_begin(&ring->counts, 0, NULL);
	assert_false(itm_counts_read(ring, &counts));
	slot = (const char *)8; /* freed, and its page given back */
	itm_counts_begin(&ring->counts, 0, &slot);
	itm_counts_add(&ring->counts.commits);
	itm_counts_add(&ring->counts.cancels);
	assert_false(itm_counts_read(ring, &counts));
	assert_int_equal(counts.commits, 1);
	assert_int_equal(counts.aborts, 1);
	assert_false(itm_counts_read(&itm_ring_dummy, &counts));
	/* Within a measured transaction, and after the end, they need not be read. */
	stand_aside();
	assert_counts(1, 9);
}

TEST_WITH(fixture, without_counters_only_what_the_agent_counts_is_counted)
{
	itm_agent.has_totals = false;
	transaction.counters[0] = 8;
	itm_counts_begin(&ring->counts, 0, NULL);
	itm_counts_add(&ring->counts.cancels);
	assert_counts(0, 1);
}

TEST_WITH(fixture, the_library_reads_them_with_the_account)
{
	struct stmlog_account account;
	stmlog_read_unmeasured_by(me(), itm_counts_read, ring);
	itm_counts_add(&ring->counts.commits);
	transaction.counters[0] = 8;
	stmlog_account_read(me(), &account);
	assert_int_equal(account.unmeasured_commits, 1);
	assert_int_equal(account.unmeasured_aborts, 8);
}

/* ---- a reader beside the owner ---- */

/* Restarts that were not measured: begun, and counted by libitm. */
static volatile AO_t begun, counted;
static volatile AO_t is_over;

static void *own(void *unused)
{
	struct random random = {1};
	for (uint32_t i = stress_times(2000000); i > 0; i--) {
		bool is_measured = random_below(&random, 4) == 0;
		if (is_measured)
			stand_aside();
		else
			AO_store_release(&begun, AO_load(&begun) + 1);
		transaction.counters[random_below(&random, ITM_REASONS)]++;
		if (is_measured)
			itm_counts_resume(&ring->counts, sum());
		else
			AO_store_release(&counted, AO_load(&counted) + 1);
	}
	AO_store_release(&is_over, 1);
	return unused;
}

/* No restart is missed, and none is counted twice. */
TEST_WITH(fixture, a_reader_finds_counts_of_one_moment)
{
	pthread_t owner;
	uint64_t reads = 0;
	begun = counted = is_over = 0;
	assert_int_equal(pthread_create(&owner, NULL, own, NULL), 0);
	while (!AO_load_acquire(&is_over)) {
		struct stmlog_unmeasured_counts counts;
		uint64_t min = AO_load_acquire(&counted);
		if (!itm_counts_read(ring, &counts))
			continue;
		uint64_t max = AO_load_acquire(&begun);
		assert_in_range(counts.aborts, min, max);
		reads++;
	}
	pthread_join(owner, NULL);
	assert_counts(0, begun);
	print_message("%llu readings\n", (unsigned long long)reads);
}

/* libitm's serial lock, by hand: under htm it is held where a transaction runs without the hardware. */
TEST_WITH(fixture, under_htm_the_serial_lock_tells_which_transactions_ran_in_hardware)
{
	static unsigned serial;
	itm_locks.serial = &serial;
	itm_agent.method = ITM_METHOD_HARDWARE;
	assert_false(itm_counts_runs_alone());
	serial = 1;
	assert_true(itm_counts_runs_alone());
	itm_agent.method = ITM_METHOD_LOCKS;
	assert_false(itm_counts_runs_alone());
	itm_agent.method = ITM_METHOD_HARDWARE;
	itm_locks.serial = NULL;
	assert_false(itm_counts_runs_alone());
	itm_agent.method = ITM_METHOD_LOCKS;
}
