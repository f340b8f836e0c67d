/* SPDX-License-Identifier: MIT
 * For which interrupted transaction a commit has waited, in rings that are written by hand. */

#include "others.h"
#include "ring.h"
#include "test.h"

enum { OTHERS = 3, FROM = 1000, WAIT_NS = 4000000 };

static struct itm_ring *own, *rings[OTHERS];

static void set_up(void)
{
	own = itm_ring_acquire(1);
	for (uint32_t i = 0; i < OTHERS; i++)
		rings[i] = itm_ring_acquire(2 + i);
}

static void tear_down(void)
{
	itm_ring_release(own);
	for (uint32_t i = 0; i < OTHERS; i++)
		itm_ring_release(rings[i]);
}

static const struct test_fixture fixture = {set_up, tear_down};

static void begin(struct itm_ring *ring, uintptr_t site)
{
	AO_store(&ring->site, site);
}

static void commit(struct itm_ring *ring)
{
	itm_ring_note_commit(ring, 0);
	itm_ring_note_end(ring);
}

/* A transaction in which the thread was off the processor for so long, and noticed it then. */
static void transact_interrupted(struct itm_ring *ring, uintptr_t site, uint64_t off_ns, uint64_t seen)
{
	begin(ring, site);
	itm_ring_interrupt(ring, off_ns, seen);
	commit(ring);
}

static void assert_found(struct itm_ring *ring, uintptr_t site, enum stmlog_grade grade)
{
	struct itm_blocker found = itm_interrupted_find_blocker(own, FROM, WAIT_NS);
	assert_ptr_equal(found.ring, ring);
	assert_int_equal(found.site, site);
	assert_int_equal(found.grade, grade);
}

static void assert_none_is_found(void)
{
	assert_null(itm_interrupted_find_blocker(own, FROM, WAIT_NS).ring);
}

/* ---- claims ---- */

TEST_WITH(fixture, where_no_transaction_was_interrupted_none_is_found)
{
	begin(rings[0], 0x100);
	commit(rings[0]);
	itm_ring_interrupt(rings[0], WAIT_NS, FROM + 1); /* outside */
	itm_ring_interrupt(own, WAIT_NS, FROM + 1);
	assert_none_is_found();
}

TEST_WITH(fixture, of_several_that_was_off_the_processor_for_the_longest_time)
{
	transact_interrupted(rings[0], 0x100, 10, FROM + 1);
	transact_interrupted(rings[1], 0x200, 1000, FROM + 1);
	transact_interrupted(rings[2], 0x300, 20, FROM + 1);
	assert_found(rings[1], 0x200, STMLOG_GRADE_CANDIDATE);
}

/* The owner asks the kernel after its commit. */
TEST_WITH(fixture, a_time_that_was_unknown_before_the_commit_counts_as_it_was_found_out)
{
	begin(rings[0], 0x100);
	itm_ring_interrupt(rings[0], ITM_RING_OFF_UNKNOWN, FROM + 1);
	commit(rings[0]);
	begin(rings[0], 0x150);
	commit(rings[0]);
	itm_ring_interrupt(rings[0], 1000, FROM + 5);
	transact_interrupted(rings[1], 0x200, 10, FROM + 1);
	assert_found(rings[0], 0x100, STMLOG_GRADE_CANDIDATE);
	transact_interrupted(rings[2], 0x300, 2000, FROM + 1);
	assert_found(rings[2], 0x300, STMLOG_GRADE_CANDIDATE);
}

TEST_WITH(fixture, a_time_that_stays_unknown_counts_as_that_of_the_wait)
{
	begin(rings[0], 0x100);
	itm_ring_interrupt(rings[0], ITM_RING_OFF_UNKNOWN, FROM + 1);
	commit(rings[0]);
	transact_interrupted(rings[1], 0x200, WAIT_NS - 1, FROM + 1);
	assert_found(rings[0], 0x100, STMLOG_GRADE_CANDIDATE);
	transact_interrupted(rings[2], 0x300, WAIT_NS + 1, FROM + 1);
	assert_found(rings[2], 0x300, STMLOG_GRADE_CANDIDATE);
}

/* A commit that wakes others up returns after they have gone on. */
TEST_WITH(fixture, whoever_has_slept_was_not_preempted_even_before_the_time_is_known)
{
	for (AO_t slept = 0; slept < 2; slept++) {
		begin(rings[0], 0x100);
		itm_ring_interrupt(rings[0], ITM_RING_OFF_UNKNOWN | (slept ? ITM_RING_ASLEEP : 0), FROM + 1);
		assert_int_equal(itm_interrupted_has_slept(rings[0], FROM, WAIT_NS), slept);
		assert_false(itm_interrupted_has_slept(rings[0], FROM + 1, WAIT_NS));
		assert_int_equal(itm_interrupted_is_preempted(rings[0], FROM, WAIT_NS), !slept);
		commit(rings[0]);
	}
}

TEST_WITH(fixture, a_sleep_shorter_than_half_of_the_wait_is_no_reason_for_it)
{
	transact_interrupted(rings[0], 0x100, WAIT_NS / 2 | ITM_RING_ASLEEP, FROM + 1);
	assert_true(itm_interrupted_has_slept(rings[0], FROM, WAIT_NS));
	assert_false(itm_interrupted_has_slept(rings[0], FROM, WAIT_NS + 2));
}

TEST_WITH(fixture, before_the_wait_an_interruption_does_not_count)
{
	transact_interrupted(rings[0], 0x100, WAIT_NS, FROM);
	assert_none_is_found();
	transact_interrupted(rings[0], 0x100, WAIT_NS, FROM + 1);
	assert_found(rings[0], 0x100, STMLOG_GRADE_CANDIDATE);
}

TEST_WITH(fixture, the_only_other_thread_is_certain_if_it_was_off_for_half_of_the_wait)
{
	itm_ring_release(rings[1]);
	itm_ring_release(rings[2]);
	transact_interrupted(rings[0], 0x100, WAIT_NS / 2 - 1, FROM + 1);
	assert_found(rings[0], 0x100, STMLOG_GRADE_CANDIDATE);
	transact_interrupted(rings[0], 0x100, WAIT_NS / 2, FROM + 1);
	assert_found(rings[0], 0x100, STMLOG_GRADE_CERTAIN);
	rings[1] = itm_ring_acquire(3);
	rings[2] = itm_ring_acquire(4);
}

TEST_WITH(fixture, a_transaction_that_has_not_noticed_yet_is_found_if_it_is_the_only_one_under_way)
{
	begin(rings[1], 0x200);
	assert_found(rings[1], 0x200, STMLOG_GRADE_CANDIDATE);
	begin(rings[2], 0x300);
	assert_none_is_found();
	itm_ring_note_commit(rings[1], 0); /* it waits for nobody's writes any more */
	assert_found(rings[2], 0x300, STMLOG_GRADE_CANDIDATE);
}

TEST_WITH(fixture, a_thread_without_a_processor_for_half_of_the_wait_is_preempted)
{
	for (uint64_t less = 0; less < 2; less++) {
		transact_interrupted(rings[0], 0x100, WAIT_NS / 2 - less, FROM + 1);
		assert_int_equal(itm_interrupted_is_preempted(rings[0], FROM, WAIT_NS), !less);
		assert_int_equal(itm_interrupted_find_blocker(own, FROM, WAIT_NS).is_preempted, !less);
	}
	assert_false(itm_interrupted_is_preempted(rings[1], FROM, WAIT_NS));
}

TEST_WITH(fixture, a_thread_that_has_slept_is_found_but_not_preempted)
{
	itm_ring_interrupt_commit(rings[0], WAIT_NS | ITM_RING_ASLEEP, FROM + 1);
	transact_interrupted(rings[0], 0x100, WAIT_NS | ITM_RING_ASLEEP, FROM + 1);
	transact_interrupted(rings[1], 0x200, WAIT_NS - 1, FROM + 1);
	assert_found(rings[0], 0x100, STMLOG_GRADE_CANDIDATE);
	assert_false(itm_interrupted_find_blocker(own, FROM, WAIT_NS).is_preempted);
	assert_false(itm_interrupted_is_preempted(rings[0], FROM, WAIT_NS));
}

/* Then the transaction has let go of the waiting thread before, or not: nobody waits for those that wait themselves. */
TEST_WITH(fixture, a_thread_without_a_processor_in_its_commit_is_preempted_but_not_found)
{
	begin(rings[0], 0x100);
	commit(rings[0]);
	itm_ring_interrupt_commit(rings[0], WAIT_NS, FROM);
	assert_false(itm_interrupted_is_preempted(rings[0], FROM, WAIT_NS));
	itm_ring_interrupt_commit(rings[0], WAIT_NS / 2 - 1, FROM + 1);
	assert_false(itm_interrupted_is_preempted(rings[0], FROM, WAIT_NS));
	itm_ring_interrupt_commit(rings[0], WAIT_NS / 2, FROM + 1);
	assert_true(itm_interrupted_is_preempted(rings[0], FROM, WAIT_NS));
	assert_none_is_found();
}

TEST_WITH(fixture, a_thread_that_takes_the_ring_was_not_interrupted)
{
	transact_interrupted(rings[0], 0x100, WAIT_NS, FROM + 1);
	itm_ring_release(rings[0]);
	rings[0] = itm_ring_acquire(9);
	assert_none_is_found();
}
