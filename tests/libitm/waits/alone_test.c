/* SPDX-License-Identifier: MIT
 * Which transactions are recorded as running alone, by which way they came to it, and which of them a thread has waited
 * for. libitm is played: its dispatch object, its state and its count of failed attempts. */

#include "agent.h"
#include "alone.h"
#include "entries.h"
#include "ring_writer.h"
#include "test.h"

enum { BEGIN = 0x1111, PLACE = 0x2222, WRITE = 0x3333 };

static struct itm_ring *rings[2];
static struct itm_thread threads[2];
static int irrevocable;
static char struct_of_libitm[ITM_STRUCT_MAX];

static int in_transaction(void)
{
	return irrevocable;
}
int (*itm_real_in_transaction)(void) = in_transaction;

static void set_transaction(uintptr_t transaction)
{
	__asm__ volatile("movq %0, %%fs:0x50" : : "r"(transaction) : "memory");
}

static void set_failures(uint32_t failures)
{
	*(uint32_t *)(void *)(struct_of_libitm + 16 + ITM_REASONS * sizeof(uint32_t)) = failures;
}

static void set_up(void)
{
	for (uint32_t i = 0; i < 2; i++) {
		rings[i] = itm_ring_acquire(1 + i);
		threads[i] = (struct itm_thread){.ring = rings[i]};
		AO_store(&rings[i]->site, BEGIN + i);
	}
	irrevocable = ITM_IS_IRREVOCABLE;
	itm_agent.method = ITM_METHOD_GLOBAL_LOCK;
	itm_agent.has_counters = true;
	itm_layout_use(&(struct itm_layout){.counters = 16});
	set_failures(0);
	set_transaction((uintptr_t)struct_of_libitm);
}

static void tear_down(void)
{
	set_transaction(0);
	for (uint32_t i = 0; i < 2; i++)
		itm_ring_release(rings[i]);
	itm_locks.dispatch = NULL;
}

static const struct test_fixture fixture = {set_up, tear_down};

/* Thread 0 ends a transaction; what a thread that waits meanwhile finds. */
static struct itm_blocker find_after_end(void)
{
	AO_t before = itm_alone_so_far();
	itm_alone_record_at_end_slow(&threads[0]);
	itm_ring_note_end(rings[0]);
	return itm_alone_find_blocker(before);
}

static void assert_found(struct itm_blocker found, uintptr_t place, enum itm_way way)
{
	assert_ptr_equal(found.ring, rings[0]);
	assert_int_equal(found.site, BEGIN);
	assert_int_equal(found.place, place);
	assert_int_equal(found.way, way);
	assert_int_equal(found.grade, STMLOG_GRADE_CERTAIN);
}

TEST_WITH(fixture, one_that_does_not_run_alone_is_not_recorded)
{
	irrevocable = 1;
	assert_null(find_after_end().ring);
}

TEST_WITH(fixture, under_ml_wt_another_dispatch_object_tells_that_it_runs_alone)
{
	itm_agent.method = ITM_METHOD_LOCKS;
	itm_locks.dispatch = struct_of_libitm;
	irrevocable = 1; /* it may be cancelled */
	assert_found(find_after_end(), 0, ITM_WAY_OTHER);
}

TEST_WITH(fixture, one_that_asked_is_recorded_with_the_place)
{
	itm_alone_request(rings[0], PLACE, ITM_WAY_ASKED);
	assert_found(find_after_end(), PLACE, ITM_WAY_ASKED);
	AO_store(&rings[0]->site, BEGIN); /* the next transaction has not asked */
	assert_found(find_after_end(), 0, ITM_WAY_OTHER);
}

TEST_WITH(fixture, an_unmeasured_one_that_starved_is_known_by_libitms_count)
{
	irrevocable = 1;
	set_failures(ITM_FAILURES_MAX);
	assert_null(find_after_end().ring);
	AO_store(&rings[0]->site, BEGIN);
	set_failures(ITM_FAILURES_MAX + 1);
	assert_found(find_after_end(), 0, ITM_WAY_STARVED);
}

TEST_WITH(fixture, a_measured_one_that_starved_is_known_by_the_agents_count)
{
	itm_agent.has_counters = false;
	threads[0].flags = ITM_MEASURED;
	threads[0].failures = ITM_FAILURES_MAX + 1;
	assert_found(find_after_end(), 0, ITM_WAY_STARVED);
}

TEST_WITH(fixture, one_that_has_written_is_recorded_with_its_first_write)
{
	itm_agent.method = ITM_METHOD_SERIAL_ON_WRITE;
	ring_transaction(rings[0], BEGIN, 0x9000, 8, 1);
	ring_write(rings[0], &(struct itm_write){0x8000, 8, WRITE, 0});
	ring_write(rings[0], &(struct itm_write){0x8000, 8, WRITE + 1, 0});
	assert_found(find_after_end(), WRITE, ITM_WAY_WROTE);
	itm_ring_append_end(rings[0], 2);
}

TEST_WITH(fixture, of_two_the_first_is_a_candidate)
{
	AO_t before = itm_alone_so_far();
	itm_alone_record_at_end_slow(&threads[0]);
	itm_alone_record_at_end_slow(&threads[1]);
	struct itm_blocker found = itm_alone_find_blocker(before);
	assert_ptr_equal(found.ring, rings[0]);
	assert_int_equal(found.grade, STMLOG_GRADE_CANDIDATE);
}

/* The thread that recorded itself first has overwritten that. */
TEST_WITH(fixture, one_of_two_in_the_same_thread_is_found)
{
	AO_t before = itm_alone_so_far();
	itm_alone_record_at_end_slow(&threads[0]);
	itm_alone_record_at_end_slow(&threads[0]);
	assert_ptr_equal(itm_alone_find_blocker(before).ring, rings[0]);
	assert_int_equal(itm_alone_find_blocker(before).grade, STMLOG_GRADE_CANDIDATE);
}

TEST_WITH(fixture, one_that_was_recorded_before_the_wait_is_not_found)
{
	itm_alone_record(&threads[0], PLACE, ITM_WAY_ASKED);
	assert_null(itm_alone_find_blocker(itm_alone_so_far()).ring);
}

/* libitm's answer would abort a hardware transaction. */
static int abort_hardware(void)
{
	fail_msg("libitm was asked");
	return 0;
}

TEST_WITH(fixture, under_htm_none_is_recorded_and_libitm_is_not_asked)
{
	itm_agent.method = ITM_METHOD_HARDWARE;
	itm_real_in_transaction = abort_hardware;
	assert_null(find_after_end().ring);
	itm_real_in_transaction = in_transaction;
}
