/* SPDX-License-Identifier: MIT
 * Tracebacks: references, building, cloning, equality and hashes. */
#include "supply.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "mem.h"
#include "random.h"
#include "stacks.h"

#define LONG_CHAIN 1000000u
#define DEPTH_MAX 40u

/* Innermost first: `first`, first + 1, ... */
static struct tb_frame *build(struct tb_stack *stack, uintptr_t first, size_t len, struct tb_frame *down)
{
	struct tb_site sites[DEPTH_MAX];
	assert_in_range(len, 0, DEPTH_MAX);
	for (size_t i = 0; i < len; i++)
		sites[i] = site(first + i);
	return tb_build(stack, sites, len, down);
}

static void assert_sites(const struct tb_frame *traceback, uintptr_t first, size_t len, const struct tb_frame *bottom)
{
	assert_int_equal(tb_depth(traceback), len);
	for (size_t i = 0; i < len; i++, traceback = tb_down(traceback)) {
		assert_true(tb_is_frame(traceback));
		assert_int_equal(tb_frame_site(traceback).code, 7);
		assert_int_equal(tb_frame_site(traceback).position, first + i);
	}
	assert_ptr_equal(traceback, bottom);
}

/* ---- the two constants ---- */

TEST_WITH(no_leaks, the_constants_need_no_reference)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	struct tb_frame *constants[] = {TB_EMPTY, TB_UNKNOWN};
	for (int i = 0; i < 2; i++) {
		assert_ptr_equal(tb_ref(constants[i]), constants[i]);
		tb_unref(stack, constants[i]);
		tb_unref(stack, constants[i]);
		assert_false(tb_is_frame(constants[i]));
		assert_int_equal(tb_depth(constants[i]), 0);
		assert_int_equal(constants[i]->refs, 0);
		assert_ptr_equal(tb_clone(stack, constants[i], 10), constants[i]);
		assert_ptr_equal(tb_build(stack, NULL, 0, constants[i]), constants[i]);
	}
	assert_int_equal(tb_misuses(), 0);
}

TEST_WITH(no_leaks, unknown_equals_only_unknown)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	struct tb_frame *one = build(stack, 1, 1, TB_EMPTY);
	struct tb_frame *cut = build(stack, 1, 1, TB_UNKNOWN);
	assert_true(tb_equal(TB_UNKNOWN, TB_UNKNOWN));
	assert_true(tb_equal(TB_EMPTY, TB_EMPTY));
	assert_false(tb_equal(TB_UNKNOWN, TB_EMPTY));
	assert_false(tb_equal(TB_UNKNOWN, one));
	assert_false(tb_equal(one, TB_EMPTY));
	assert_false(tb_equal(one, cut));
	assert_true(tb_hash(TB_UNKNOWN) != tb_hash(TB_EMPTY));
	assert_true(tb_hash(one) != tb_hash(cut));
	tb_unref(stack, one);
	tb_unref(stack, cut);
}

/* ---- building and copying ---- */

TEST_WITH(no_leaks, a_build_has_its_sites_innermost_first)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	for (size_t len = 0; len <= 3; len++) {
		struct tb_frame *built = build(stack, 10, len, TB_EMPTY);
		assert_sites(built, 10, len, TB_EMPTY);
		assert_int_equal(tb_live_frames(), len);
		tb_unref(stack, built);
	}
	assert_ptr_equal(tb_current(stack), TB_EMPTY);
}

TEST_WITH(no_leaks, a_build_shares_what_it_stands_on)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	struct tb_frame *down = build(stack, 12, 3, TB_EMPTY);
	struct tb_frame *a = build(stack, 10, 2, down);
	struct tb_frame *b = build(stack, 11, 1, down);
	assert_int_equal(tb_live_frames(), 6);
	tb_unref(stack, down);
	assert_sites(a, 10, 5, TB_EMPTY);
	tb_unref(stack, a);
	assert_sites(b, 11, 4, TB_EMPTY);
	assert_int_equal(tb_live_frames(), 4);
	tb_unref(stack, b);
}

TEST_WITH(no_leaks, a_clone_is_equal_and_shares_nothing)
{
	struct tb_stack *from = tb_stack_create(0), *to = tb_stack_create(0);
	struct tb_frame *built = build(from, 1, 20, TB_EMPTY);
	struct tb_frame *clone = tb_clone(to, built, SIZE_MAX);
	assert_int_equal(tb_live_frames(), 40);
	assert_true(tb_equal(clone, built));
	tb_unref(from, built);
	tb_stack_destroy(&from);
	assert_sites(clone, 1, 20, TB_EMPTY);
	tb_unref(to, clone);
	tb_stack_destroy(&to);
}

TEST_WITH(no_leaks, a_clone_cut_by_its_limit_ends_in_unknown)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	struct tb_frame *built = build(stack, 1, 5, TB_EMPTY);
	for (size_t limit = 0; limit <= 6; limit++) {
		struct tb_frame *clone = tb_clone(stack, built, limit);
		assert_sites(clone, 1, limit < 5 ? limit : 5, limit < 5 ? TB_UNKNOWN : TB_EMPTY);
		assert_true(tb_equal(clone, built) == (limit >= 5));
		tb_unref(stack, clone);
	}
	tb_unref(stack, built);
}

TEST_WITH(no_leaks, a_clone_of_a_cut_clone_is_cut_as_well)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	struct tb_frame *cut = build(stack, 1, 2, TB_UNKNOWN);
	struct tb_frame *clone = tb_clone(stack, cut, 2);
	assert_sites(clone, 1, 2, TB_UNKNOWN);
	assert_true(tb_equal(clone, cut));
	tb_unref(stack, cut);
	tb_unref(stack, clone);
}

/* ---- releasing ---- */

static struct tb_frame *long_chain(struct tb_stack *stack)
{
	struct tb_site *sites = test_calloc(LONG_CHAIN, sizeof *sites);
	struct tb_frame *chain = tb_build(stack, sites, LONG_CHAIN, TB_EMPTY);
	test_free(sites);
	return chain;
}

struct release {
	struct tb_stack *stack;
	struct tb_frame *traceback;
};

static void *release(void *arg)
{
	const struct release *what = arg;
	tb_unref(what->stack, what->traceback);
	return NULL;
}

/* 256 KiB would not hold a million calls. */
TEST_WITH(no_leaks, a_chain_of_a_million_frames_is_released_in_constant_stack)
{
	struct release what = {.stack = tb_stack_create(0)};
	pthread_t thread;
	pthread_attr_t attr;
	what.traceback = long_chain(what.stack);
	assert_int_equal(tb_live_frames(), LONG_CHAIN);
	assert_int_equal(pthread_attr_init(&attr), 0);
	assert_int_equal(pthread_attr_setstacksize(&attr, 256 * 1024), 0);
	assert_int_equal(pthread_create(&thread, &attr, release, &what), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_attr_destroy(&attr);
	assert_int_equal(tb_live_frames(), 0);
	assert_in_range(what.stack->spare, 1, what.stack->cap);
	tb_stack_destroy(&what.stack);
}

TEST_WITH(no_leaks, a_release_stops_at_what_others_refer_to)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	struct tb_frame *low = build(stack, 4, 3, TB_EMPTY);
	struct tb_frame *high = build(stack, 1, 3, low);
	tb_ref(high);
	tb_unref(stack, high);
	assert_int_equal(tb_live_frames(), 6);
	tb_unref(stack, high);
	assert_int_equal(tb_live_frames(), 3);
	assert_sites(low, 4, 3, TB_EMPTY);
	tb_unref(stack, low);
}

/* ---- memory failing ---- */

static bool build_and_clone(void *arg)
{
	struct tb_site *sites = arg;
	struct tb_stack *stack = tb_stack_create(2);
	if (stack == NULL)
		return errno != ENOMEM;
	errno = 77;
	struct tb_frame *built = tb_build(stack, sites, 3000, TB_EMPTY);
	struct tb_frame *clone = tb_clone(stack, built, SIZE_MAX);
	bool is_done = !tb_is_unknown(built) && !tb_is_unknown(clone);
	assert_int_equal(tb_stack_lost(stack), is_done ? 0 : 1);
	assert_true(tb_is_unknown(built) || tb_depth(built) == 3000);
	tb_unref(stack, clone);
	tb_unref(stack, built);
	assert_int_equal(tb_live_frames(), 0);
	assert_int_equal(errno, 77);
	tb_stack_destroy(&stack);
	return is_done;
}

TEST_WITH(no_leaks, a_build_or_clone_without_memory_is_unknown_and_leaks_nothing)
{
	struct tb_site *sites = test_calloc(3000, sizeof *sites);
	fixture_fail_each(build_and_clone, sites);
	test_free(sites);
}

TEST_WITH(no_leaks, a_build_that_fails_keeps_what_it_stood_on)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	struct tb_frame *down = build(stack, 1, 2, TB_EMPTY);
	struct tb_site *sites = test_calloc(5000, sizeof *sites);
	mem_fail_at(1);
	assert_ptr_equal(tb_build(stack, sites, 5000, down), TB_UNKNOWN);
	test_free(sites);
	assert_int_equal(tb_live_frames(), 2);
	assert_sites(down, 1, 2, TB_EMPTY);
	tb_unref(stack, down);
}

/* ---- comparing ---- */

static uint32_t make_random(
	struct random *random, struct tb_stack *stack, struct tb_site *sites, struct tb_frame **built)
{
	uint32_t len = random_below(random, 4);
	for (uint32_t i = 0; i < len; i++)
		sites[i] = tb_site_make(random_below(random, 2), random_below(random, 2));
	*built = tb_build(stack, sites, len, TB_EMPTY);
	return len;
}

static bool same_sites(const struct tb_site *a, const struct tb_site *b, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		if (a[i].code != b[i].code || a[i].position != b[i].position)
			return false;
	return true;
}

TEST_WITH(no_leaks, tracebacks_are_equal_when_their_sites_are)
{
	struct random random = {3};
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	struct tb_site sites_a[4], sites_b[4];
	struct tb_frame *a, *b;
	uint32_t equal = 0;
	for (int i = 0; i < 20000; i++) {
		uint32_t len_a = make_random(&random, stack, sites_a, &a);
		uint32_t len_b = make_random(&random, stack, sites_b, &b);
		bool is_same = len_a == len_b && same_sites(sites_a, sites_b, len_a);
		assert_true(tb_equal(a, b) == is_same);
		assert_true((tb_hash(a) == tb_hash(b)) == is_same);
		equal += is_same;
		tb_unref(stack, a);
		tb_unref(stack, b);
	}
	assert_in_range(equal, 500, 19500);
}

static int compare_hashes(const void *a, const void *b)
{
	uint64_t x, y;
	x = *(const uint64_t *)a;
	y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* 30,000 numbers collide in 32 bits 0.1 times; ten times would be a bad hash. */
TEST_WITH(no_leaks, both_halves_of_a_hash_tell_tracebacks_apart)
{
	enum { COUNT = 30000 };
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	uint64_t *hashes = test_calloc(2 * COUNT, sizeof *hashes);
	for (size_t i = 0; i < COUNT; i++) {
		struct tb_frame *built = build(stack, 0x400000 + 16 * i, 1 + i % 3, TB_EMPTY);
		hashes[i] = tb_hash(built) & UINT32_MAX;
		hashes[COUNT + i] = tb_hash(built) >> 32;
		tb_unref(stack, built);
	}
	for (int half = 0; half < 2; half++) {
		uint64_t *these = hashes + half * COUNT;
		uint32_t collisions = 0;
		qsort(these, COUNT, sizeof *these, compare_hashes);
		for (size_t i = 1; i < COUNT; i++)
			collisions += these[i] == these[i - 1];
		assert_in_range(collisions, 0, 10);
	}
	test_free(hashes);
}
