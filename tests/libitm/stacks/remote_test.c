/* SPDX-License-Identifier: MIT
 * Tracebacks of other transactions: each call returns the sites that it was given, and the same sites mostly return the
 * same frames. */
#include "random.h"
#include "remote.h"
#include "session_fixture.h"
#include "test.h"
#include "thread.h"

static struct tb_stack *stack;

static void set_up(void)
{
	session_set_up();
	itm_self.thread = stmlog_thread_self();
	stack = stmlog_thread_stack(itm_self.thread);
}

static void tear_down(void)
{
	itm_remote_destroy(&itm_self, stack);
	itm_self.thread = NULL;
	session_tear_down(); /* no frame is left */
}

static const struct test_fixture fixture = {set_up, tear_down};

static void assert_sites(const struct tb_frame *frame, const struct tb_site *sites, size_t len)
{
	for (size_t i = 0; i < len; i++, frame = tb_down(frame)) {
		assert_true(tb_is_frame(frame));
		assert_int_equal(tb_frame_site(frame).position, sites[i].position);
	}
	assert_ptr_equal(frame, TB_EMPTY);
}

TEST_WITH(fixture, the_same_sites_return_the_same_frames)
{
	const struct tb_site sites[] = {{TB_CODE_ADDRESS, 0x1000}, {TB_CODE_ADDRESS, 0x2000}};
	struct tb_frame *first = itm_remote_traceback(sites, 2);
	assert_sites(first, sites, 2);
	assert_ptr_equal(itm_remote_traceback(sites, 2), first);
}

TEST_WITH(fixture, sites_that_begin_or_end_alike_return_their_own_frames)
{
	const struct tb_site sites[] = {{TB_CODE_ADDRESS, 0}, {TB_CODE_ADDRESS, 0}, {TB_CODE_ADDRESS, 0x2000}};
	for (size_t first = 0; first < 3; first++)
		for (size_t len = 0; len <= 3 - first; len++)
			assert_sites(itm_remote_traceback(sites + first, len), sites + first, len);
}

TEST_WITH(fixture, at_random_each_call_returns_its_sites_and_a_referenced_traceback_outlasts_the_kept_ones)
{
	struct random random = {1};
	const struct tb_site held_sites[] = {{TB_CODE_ADDRESS, 7}};
	struct tb_frame *held = tb_ref(itm_remote_traceback(held_sites, 1));
	for (unsigned step = 0; step < 10000; step++) {
		struct tb_site sites[3];
		size_t len = 1 + random_below(&random, 3);
		for (size_t i = 0; i < len; i++)
			sites[i] = tb_site_make(TB_CODE_ADDRESS, 1 + random_below(&random, 4));
		assert_sites(itm_remote_traceback(sites, len), sites, len);
		assert_true(tb_live_frames() <= 3 * ITM_REMOTES + 1);
	}
	assert_sites(held, held_sites, 1);
	tb_unref(stack, held);
}
