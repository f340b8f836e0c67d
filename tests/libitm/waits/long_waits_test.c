/* SPDX-License-Identifier: MIT
 * Long waits inside libitm: those for a processor, and those that stand for waits of transactions not measured. */
#include "wait_fixture.h"

/* Another thread's transaction was interrupted meanwhile. */
TEST_WITH(fixture, a_commit_that_nobody_watched_names_the_transaction_that_was_interrupted)
{
	uintptr_t entry;
	struct itm_ring *other = itm_ring_acquire(2);
	itm_self.ring = itm_ring_acquire(1);
	itm_self.flags = 0;
	itm_self.slot = &entry;
	itm_agent.options.depth = 4;
	AO_store(&itm_self.ring->site, 0x100 | ITM_RING_IS_OVER);
	AO_store(&other->site, 0x200);
	fake_clock_advance(6 * MS);
	itm_ring_interrupt(other, 4 * MS, itm_ticks_now());
	fake_clock_advance(4 * MS);
	itm_wait_report_unmeasured_commit(&itm_self, 4 * MS, MS);
	itm_wait_report_unmeasured_commit(&itm_self, MS / 100, MS); /* too short to tell */
	itm_ring_note_end(other);
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
	struct stmlog_entry found = entry_at(fixture_log, 0);
	assert_string_equal(found.cause.detail, "COMMIT_WAIT");
	assert_ptr_equal(traced, &entry);
	assert_int_equal(traced_site, 0x100);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.lost_ns, 4 * MS);
	assert_int_equal(found.descheduled_ns, MS);
	assert_int_equal(found.remote_thread, 2);
	assert_int_equal(tb_frame_site(found.remote).position, 0x200);
	assert_int_equal(tb_depth(found.remote), 2); /* the other frame says that it had no processor */
	itm_ring_release(other);
	itm_ring_release(itm_self.ring);
}

/* A timed transaction has waited at its commit for another thread, which was off the processor for `off_ns`. */
static bool timed_waits_for_preempted(uint64_t wait_ns, uint64_t off_ns)
{
	uintptr_t entry = 0x1234;
	struct itm_ring *other = itm_ring_acquire(2);
	itm_self.ring = itm_ring_acquire(1);
	itm_self.flags = ITM_STOPWATCH;
	itm_self.slot = &entry;
	itm_agent.options.depth = 4;
	AO_store(&itm_self.ring->site, 0x100);
	AO_store(&other->site, 0x200);
	fake_clock_advance(wait_ns);
	itm_ring_interrupt(other, off_ns, itm_ticks_now());
	itm_ring_note_end(other);
	bool is_reported = itm_wait_report_preempted_commit(&itm_self, 100.4, wait_ns);
	itm_ring_release(other);
	itm_ring_release(itm_self.ring);
	return is_reported;
}

TEST_WITH(fixture, a_timed_wait_for_a_preempted_thread_is_an_entry_with_the_weight_of_its_transaction)
{
	assert_true(timed_waits_for_preempted(MS, MS / 2));
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
	struct stmlog_entry found = entry_at(fixture_log, 0);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.lost_ns, MS);
	assert_int_equal((uint64_t)found.estimated_ns, 100 * MS);
	assert_int_equal(tb_depth(found.remote), 2); /* the other frame says that it had no processor */
}

TEST_WITH(fixture, any_other_timed_wait_is_left_to_the_parts_of_its_transaction)
{
	assert_false(timed_waits_for_preempted(MS, MS / 2 - 1));
	assert_false(timed_waits_for_preempted(MS * 4 / 10 - 1, MS));
	assert_int_equal(stmlog_timelog_len(fixture_log), 0);
}

/* The same of a transaction that was measured closely, of `weight`, where one sampled transaction in two is timed. */
static size_t entries_of_close_wait(uint32_t weight)
{
	struct itm_ring *other = itm_ring_acquire(2);
	struct itm_waiting waiting = {.has_looked = true, .blocker = {.ring = other, .site = 0x200}};
	itm_self.ring = itm_ring_acquire(1);
	itm_self.waiting = &waiting;
	itm_self.sampling = (struct itm_sampling){.close_in = 2, .weight_now = weight};
	itm_self.watch.late_from = 3;
	start(MS);
	waiting.others.started = itm_ticks_now();
	fake_clock_advance(4 * MS);
	AO_store(&other->site, 0x200);
	itm_ring_interrupt(other, 4 * MS, itm_ticks_now());
	itm_wait_report(ITM_WAIT_COMMIT, 4 * MS * FAKE_TICKS_PER_NS, itm_ticks_now());
	stmlog_commit(itm_self.thread);
	itm_ring_release(other);
	itm_ring_release(itm_self.ring);
	itm_self.waiting = NULL;
	return stmlog_timelog_len(fixture_log);
}

TEST_WITH(fixture, a_wait_that_timed_transactions_have_too_is_no_entry_of_those_measured_closely)
{
	assert_int_equal(entries_of_close_wait(4), 0);
	assert_int_equal(account_of(me()).paused_ns, 0);
	assert_in_range(account_of(me()).waiting_none_ns, 4 * MS - ITM_WAIT_OWN, 4 * MS);
}

TEST_WITH(fixture, a_transaction_that_stands_for_no_other_has_its_entry)
{
	assert_int_equal(entries_of_close_wait(1), 1);
	assert_in_range(account_of(me()).paused_ns, 4 * MS - ITM_WAIT_OWN, 4 * MS);
}

/* The other thread's transaction ran alone, and called commit at `ended_ns` of a wait of 4 ms. */
struct alone {
	uint64_t ended_ns, slept_ns;
	int transactions; /* that ran alone */
	enum itm_way way;
};

/* Returns the frame that the agent adds to the transaction; NULL: none. */
static const char *frame_after_wait(struct alone alone)
{
	static struct itm_waiting waiting;
	struct itm_thread other = {.ring = itm_ring_acquire(2)};
	itm_self.ring = itm_ring_acquire(1);
	itm_self.waiting = &waiting;
	itm_agent.options.depth = 4;
	start(MS);
	itm_self.flags = ITM_MEASURED | ITM_TIMED;
	itm_wait_timer_start(&itm_self, true);
	uint64_t began = itm_self.entered;
	fake_clock_advance(alone.ended_ns);
	AO_store(&other.ring->site, 0x200);
	if (alone.slept_ns != 0)
		itm_ring_interrupt(other.ring, alone.slept_ns | ITM_RING_ASLEEP, itm_ticks_now());
	while (alone.transactions-- != 0)
		itm_alone_record(&other, 0, alone.way);
	fake_clock_advance(4 * MS - alone.ended_ns);
	itm_wait_report(ITM_WAIT_BEGIN, itm_ticks_now() - began, itm_ticks_now());
	stmlog_commit(itm_self.thread);
	itm_ring_release(other.ring);
	itm_ring_release(itm_self.ring);
	const struct tb_frame *last = entry_at(fixture_log, 0).remote;
	for (size_t down = tb_depth(last); down > 1; down--)
		last = tb_down(last);
	struct tb_site site = tb_frame_site(last);
	return site.code == TB_CODE_PLACE ? ((const struct tb_place *)site.position)->function : NULL;
}

#define PREEMPTED "(preempted: a thread had no processor)"
#define LONG_WAIT "(long: a wait of 0.4 ms or more)"

TEST_WITH(fixture, half_of_a_wait_after_the_only_transaction_that_ran_alone_is_for_a_processor)
{
	assert_string_equal(frame_after_wait((struct alone){2 * MS, 0, 1, ITM_WAY_OTHER}), PREEMPTED);
}

TEST_WITH(fixture, less_than_half_of_a_wait_after_it_is_long)
{
	assert_string_equal(frame_after_wait((struct alone){2 * MS + MS / 100, 0, 1, ITM_WAY_OTHER}), LONG_WAIT);
}

TEST_WITH(fixture, where_several_ran_alone_the_wait_may_be_for_the_last)
{
	assert_string_equal(frame_after_wait((struct alone){MS, 0, 2, ITM_WAY_OTHER}), LONG_WAIT);
}

TEST_WITH(fixture, half_of_a_wait_for_a_transaction_that_slept_is_because_of_it)
{
	assert_null(frame_after_wait((struct alone){3 * MS, 2 * MS, 1, ITM_WAY_OTHER}));
}

/* It slept until it might run alone. */
TEST_WITH(fixture, half_of_a_wait_for_a_starved_transaction_that_slept_is_long)
{
	assert_string_equal(frame_after_wait((struct alone){3 * MS, 2 * MS, 1, ITM_WAY_STARVED}), LONG_WAIT);
}

TEST_WITH(fixture, a_commit_without_culprit_is_a_pause_in_the_account_only)
{
	uintptr_t entry;
	itm_self.ring = itm_ring_acquire(1);
	itm_self.flags = 0;
	itm_self.slot = &entry;
	fake_clock_advance(10 * MS);
	itm_wait_report_unmeasured_commit(&itm_self, 4 * MS, 0);
	struct stmlog_account account;
	stmlog_account_read(itm_self.thread, &account);
	assert_int_equal(account.paused_ns, 0);
	assert_int_equal(account.estimated_paused_ns, 4 * MS);
	assert_int_equal(stmlog_timelog_len(fixture_log), 0);
	itm_ring_release(itm_self.ring);
}
