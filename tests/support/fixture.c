/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <stmlog/traceback.h>

#include "mem.h"

/* More allocations than any one run makes: beyond it, `run` never says that it succeeded. */
#define ALLOCATIONS_MAX 100000u

static size_t bytes_before;

void fixture_set_up(void)
{
	assert_int_equal(tb_live_frames(), 0);
	bytes_before = mem_live_bytes();
}

void fixture_tear_down(void)
{
	mem_fail_at(0);
	assert_int_equal(tb_live_frames(), 0);
	assert_int_equal(mem_live_bytes(), bytes_before);
}

const struct test_fixture no_leaks = {fixture_set_up, fixture_tear_down};

void fixture_fail_each(bool (*run)(void *arg), void *arg)
{
	bool is_done = false;
	for (size_t n = 1; !is_done; n++) {
		assert_in_range(n, 1, ALLOCATIONS_MAX);
		size_t bytes = mem_live_bytes();
		mem_fail_at(n);
		is_done = run(arg);
		mem_fail_at(0);
		/* A run that notices nothing when its very first allocation fails tests nothing. */
		assert_false(n == 1 && is_done);
		assert_int_equal(tb_live_frames(), 0);
		assert_int_equal(mem_live_bytes(), bytes);
	}
}

struct tb_frame *fixture_hoard(struct tb_stack *stack)
{
	struct tb_site any = tb_site_make(7, 0);
	struct tb_frame *all = TB_EMPTY;
	for (;;) {
		mem_fail_at(1);
		struct tb_frame *more = tb_build(stack, &any, 1, all);
		mem_fail_at(0);
		if (tb_is_unknown(more))
			return all;
		tb_unref(stack, all);
		all = more;
	}
}
