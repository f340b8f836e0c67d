/* SPDX-License-Identifier: MIT
 * Lanes, through the public API, on a fake clock. */

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stmlog/timeline.h>

#include "capture_stderr.h"
#include "losses.h"
#include "mem.h"
#include "misuse.h"
#include "registry.h"
#include "session_fixture.h"
#include "child.h"
#include "thread.h"
#include "test.h"

static struct stmlog_thread *lane;

static void set_up(void)
{
	session_set_up();
	lane = stmlog_thread_open("capability 0");
	assert_non_null(lane);
}

static void tear_down(void)
{
	stmlog_thread_close(&lane);
	assert_null(lane);
	session_tear_down();
}

static const struct test_fixture fixture = {set_up, tear_down};

static struct stmlog_account account_of_lane(void)
{
	struct stmlog_account account;
	stmlog_account_read(lane, &account);
	assert_no_residual(lane);
	return account;
}

/* Only the first mistake of a process is told, so a child makes each. */
static void stderr_of(void (*hook)(struct stmlog_thread *), const char *expected)
{
	if (in_forked_child()) {
		char text[256];
		struct stmlog_thread *idle = stmlog_thread_open("idle");
		capture_stderr_begin();
		hook(idle);
		capture_stderr_end(text, sizeof text);
		_exit(strstr(text, expected) == NULL);
	}
}

/* The first one: the process has made no mistake yet. */
TEST_WITH(fixture, what_is_told_is_that_nobody_has_claimed_it)
{
	stderr_of(stmlog_start, ": stmlog_start of a lane that is not claimed (");
	stderr_of(stmlog_commit, ": stmlog_commit of a lane that is not claimed (");
	stderr_of(wait_for_segment, ": stmlog_wait_begin of a lane that is not claimed (");
	stderr_of(stmlog_wait_end, ": stmlog_wait_end of a lane that is not claimed (");
}

TEST_WITH(fixture, a_lane_is_no_thread_and_has_a_number_of_its_own)
{
	assert_ptr_not_equal(lane, stmlog_thread_self());
	assert_int_not_equal(stmlog_thread_id(lane), stmlog_thread_id(stmlog_thread_self()));
	assert_ptr_not_equal(stmlog_thread_stack(lane), stmlog_thread_stack(stmlog_thread_self()));
}

TEST_WITH(fixture, a_lane_has_eleven_levels_of_its_stack_in_its_record)
{
	const char *stack = (const char *)stmlog_thread_stack(lane);
	size_t live = mem_live_bytes();
	assert_in_range(stack - (const char *)lane, sizeof(void *), 4096 - sizeof(struct tb_stack));
	stmlog_claim(lane);
	for (uintptr_t i = 1; i <= 11; i++)
		stmlog_push(lane, tb_site_make(7, i));
	assert_int_equal(mem_live_bytes(), live);
	stmlog_push(lane, tb_site_make(7, 12));
	assert_in_range(mem_live_bytes(), live + 1, SIZE_MAX);
	tb_unwind(stmlog_thread_stack(lane), (struct tb_mark){0});
	stmlog_release(lane);
}

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* there memory comes from malloc() */
/* Green threads may have ten thousand lanes. The second page is only read, and so takes no memory. */
TEST_WITH(fixture, a_lane_that_is_open_has_touched_two_pages_of_its_record)
{
	unsigned char pages[16] = {0};
	size_t resident = 0;
	assert_in_range(sizeof *lane, 1, sizeof pages * (size_t)getpagesize());
	assert_int_equal(mincore(lane, sizeof *lane, pages), 0);
	for (size_t i = 0; i < sizeof pages; i++)
		resident += pages[i] & 1;
	assert_in_range(resident, 1, 2);
}
#endif

TEST_WITH(fixture, an_idle_lane_costs_no_attached_time)
{
	fake_clock_advance(100 * MS);
	assert_int_equal(account_of_lane().attached_ns, 0);
	stmlog_claim(lane);
	fake_clock_advance(2 * MS);
	stmlog_release(lane);
	fake_clock_advance(100 * MS);
	assert_int_equal(account_of_lane().attached_ns, 2 * MS);
	assert_int_equal(account_of_lane().outside_ns, 2 * MS);
}

/* Releases the lane for long, and claims it again. */
static void leave_for_a_while(void)
{
	stmlog_release(lane);
	fake_clock_advance(100 * MS);
	account_of_lane();
	stmlog_claim(lane);
}

TEST_WITH(fixture, what_is_under_way_goes_on_as_if_no_time_had_passed)
{
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, NULL);
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	stmlog_claim(lane);
	stmlog_start(lane);
	fake_clock_advance(MS);
	leave_for_a_while();
	fake_clock_advance(MS);
	stmlog_wait_begin(lane, &pause);
	fake_clock_advance(2 * MS);
	leave_for_a_while();
	fake_clock_advance(2 * MS);
	stmlog_wait_end(lane);
	stmlog_abort(lane, &loss);
	leave_for_a_while();
	stmlog_retry(lane);
	leave_for_a_while();
	fake_clock_advance(8 * MS);
	stmlog_commit(lane);
	struct stmlog_account account = account_of_lane();
	assert_int_equal(account.aborted_ns[STMLOG_WRITE_WRITE], 2 * MS);
	assert_int_equal(account.paused_ns, 4 * MS);
	assert_int_equal(account.committed_ns, 8 * MS);
	assert_int_equal(account.attached_ns, 14 * MS);
}

TEST_WITH(fixture, a_lane_that_nobody_has_claimed_takes_no_hooks)
{
	size_t before = misuse_total();
	stmlog_start(lane);
	stmlog_commit(lane);
	stmlog_wait_begin(lane, NULL);
	stmlog_set_weight(lane, 2);
	stmlog_descheduled(lane, 1, 0);
	stmlog_release(lane);
	assert_int_equal(misuse_total(), before + 6);
	stmlog_claim(lane);
	stmlog_claim(lane);
	assert_int_equal(misuse_total(), before + 7);
	stmlog_release(stmlog_thread_self());
	assert_int_equal(misuse_total(), before + 8);
	assert_int_equal(account_of_lane().commits, 0);
}

TEST_WITH(fixture, a_lane_may_be_closed_in_the_middle_of_a_wait)
{
	stmlog_claim(lane);
	stmlog_push(lane, tb_site_make(BYTECODE, 1));
	stmlog_start(lane);
	wait_for_segment(lane);
	stmlog_release(lane);
	stmlog_thread_close(&lane);
	stmlog_thread_close(&lane);
	stmlog_claim(lane);
	stmlog_release(lane);
}

TEST_WITH(fixture, events_of_a_lane_are_in_the_timeline)
{
	struct stmlog_timeline_fault fault;
	stmlog_timeline_start();
	stmlog_claim(lane);
	stmlog_start(lane);
	leave_for_a_while();
	stmlog_commit(lane);
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = stmlog_timeline_take();
	assert_true(stmlog_timeline_check(timeline, &fault));
	assert_int_equal(timeline->len, 3);
	assert_int_equal(timeline->events[2].thread, stmlog_thread_id(lane));
}

TEST_WITH(fixture, a_forked_child_may_only_close_it)
{
	stmlog_claim(lane);
	if (in_forked_child()) {
		stmlog_thread_close(&lane);
		struct stmlog_thread *other = stmlog_thread_open("of the child");
		stmlog_thread_close(&other);
		_exit(0);
	}
}

/* More than the registry keeps whole. */
TEST_WITH(session_fixture, many_closed_lanes_give_memory_back_and_are_used_again)
{
	enum { LANES = POOL_MAX + 100 };
	struct stmlog_thread *lanes[LANES];
	struct stmlog_account account;
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < LANES; i++) {
			lanes[i] = stmlog_thread_open("one of many");
			stmlog_claim(lanes[i]);
			stmlog_start(lanes[i]);
			abort_over_write(lanes[i], 8, stmlog_origin(lanes[i], TB_HERE()), "LOCKED");
			stmlog_retry(lanes[i]);
			stmlog_commit(lanes[i]);
			stmlog_account_read(lanes[i], &account);
			assert_int_equal(account.aborts[STMLOG_WRITE_WRITE], 1);
			stmlog_start(lanes[i]); /* the loss goes into the timelog */
			stmlog_commit(lanes[i]);
		}
		size_t before = mem_live_bytes();
		for (int i = 0; i < LANES; i++)
			stmlog_thread_close(&lanes[i]);
		assert_in_range(mem_live_bytes(), 0, before - 1);
	}
}
