/* SPDX-License-Identifier: MIT
 *
 * Copies against what they stand for: a clone of at most as many frames. What a copy is worth that was taken
 * while frames were recycled is frame_copy_stress_test.c's. */
#include <stmlog/traceback.h>

#include <errno.h>
#include <string.h>

#include "fixture.h"
#include "mem.h"
#include "random.h"

#define DEEPEST (TB_COPY_FRAMES + 6)

static struct tb_frame *build(struct tb_stack *stack, size_t len, struct tb_frame *down)
{
	struct tb_site sites[DEEPEST];
	assert_in_range(len, 0, DEEPEST);
	for (size_t i = 0; i < len; i++)
		sites[i] = tb_site_make(7, i);
	return tb_build(stack, sites, len, down);
}

/* What the header promises of a copy, by way of a clone that has as many frames. */
static void assert_stands_for(const struct tb_copy *copy, const struct tb_frame *clone, struct tb_stack *stack)
{
	struct tb_frame *built = tb_copy_build(copy, stack);
	assert_true(tb_equal(built, clone));
	assert_true(tb_copy_equal(copy, clone));
	assert_true(tb_copy_hash(copy) == tb_hash(clone));
	tb_unref(stack, built);
}

TEST_WITH(no_leaks, a_copy_has_the_innermost_frames)
{
	static const size_t depths[] = {0, 1, 2, TB_COPY_FRAMES - 1, TB_COPY_FRAMES, TB_COPY_FRAMES + 1, DEEPEST};
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
		struct tb_copy copy;
		struct tb_frame *built = build(stack, depths[i], TB_EMPTY);
		struct tb_frame *clone = tb_clone(stack, built, TB_COPY_FRAMES);
		tb_copy_take(&copy, built);
		assert_int_equal(copy.len, depths[i] < TB_COPY_FRAMES ? depths[i] : TB_COPY_FRAMES);
		assert_true(copy.is_whole == (depths[i] <= TB_COPY_FRAMES));
		for (uint32_t at = 0; at < copy.len; at++)
			assert_true(copy.sites[at].code == 7 && copy.sites[at].position == at);
		assert_stands_for(&copy, clone, stack);
		assert_true(tb_copy_equal(&copy, built) == copy.is_whole);
		tb_unref(stack, clone);
		tb_unref(stack, built);
	}
}

TEST_WITH(no_leaks, a_copy_of_a_constant_is_that_constant)
{
	struct tb_frame *constants[] = {TB_EMPTY, TB_UNKNOWN};
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	for (int i = 0; i < 2; i++) {
		struct tb_copy copy;
		tb_copy_take(&copy, constants[i]);
		assert_int_equal(copy.len, 0);
		assert_ptr_equal(tb_copy_build(&copy, stack), constants[i]);
		assert_true(tb_copy_equal(&copy, constants[i]));
		assert_false(tb_copy_equal(&copy, constants[1 - i]));
		assert_true(tb_copy_hash(&copy) == tb_hash(constants[i]));
	}
}

TEST_WITH(no_leaks, a_copy_of_a_cut_traceback_is_cut)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	for (size_t depth = 0; depth <= TB_COPY_FRAMES; depth += TB_COPY_FRAMES / 2) {
		struct tb_copy copy;
		struct tb_frame *cut = build(stack, depth, TB_UNKNOWN);
		tb_copy_take(&copy, cut);
		assert_false(copy.is_whole);
		assert_stands_for(&copy, cut, stack);
		tb_unref(stack, cut);
	}
}

TEST_WITH(no_leaks, a_forgotten_copy_is_unknown)
{
	struct tb_copy copy;
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	struct tb_frame *built = build(stack, 3, TB_EMPTY);
	tb_copy_take(&copy, built);
	tb_copy_forget(&copy);
	assert_stands_for(&copy, TB_UNKNOWN, stack);
	assert_false(tb_copy_equal(&copy, built));
	tb_unref(stack, built);
}

TEST_WITH(no_leaks, a_copy_outlives_what_it_is_of)
{
	struct tb_copy copy;
	struct tb_stack *from = tb_stack_create(0), *to = tb_stack_create(0);
	struct tb_frame *built = build(from, 5, TB_EMPTY);
	tb_copy_take(&copy, built);
	assert_int_equal(tb_live_frames(), 5);
	tb_unref(from, built);
	tb_stack_destroy(&from);
	assert_int_equal(tb_live_frames(), 0);
	built = tb_copy_build(&copy, to);
	assert_int_equal(tb_live_frames(), 5);
	assert_true(tb_copy_equal(&copy, built));
	tb_unref(to, built);
	tb_stack_destroy(&to);
}

TEST_WITH(no_leaks, a_free_frame_copies_as_something_that_is_not_whole)
{
	struct tb_copy copy;
	struct tb_stack *stack = tb_stack_create(0), *other = tb_stack_create(0);
	struct tb_frame *was = build(other, 1, TB_EMPTY);
	tb_unref(other, was);
	tb_stack_destroy(&other); /* to the depot, whose chains end in NULL */
	tb_copy_take(&copy, was);
	assert_false(copy.is_whole);
	tb_stack_destroy(&stack);
}

/* ---- against tb_clone() ---- */

/* Of two words only, so that equal ones occur; mostly short or about as long as a copy can be. */
static struct tb_frame *build_random(struct random *random, struct tb_stack *stack)
{
	struct tb_site sites[DEEPEST];
	uint32_t len = random_below(random, 4);
	if (random_below(random, 4) == 0)
		len = TB_COPY_FRAMES - 2 + random_below(random, 5);
	for (uint32_t i = 0; i < len; i++)
		sites[i] = tb_site_make(len < 4 ? random_below(random, 2) : 0, len < 4 ? random_below(random, 2) : 0);
	return tb_build(stack, sites, len, random_below(random, 3) == 0 ? TB_UNKNOWN : TB_EMPTY);
}

/* Two copies are equal if they stand for equal tracebacks; an assigned copy stands for the same traceback. */
static void assert_copies_agree(const struct tb_copy *copy, const struct tb_frame *b, struct tb_stack *stack)
{
	struct tb_copy of_b, assigned;
	struct tb_frame *built = tb_copy_build(copy, stack), *clone = tb_clone(stack, b, TB_COPY_FRAMES);
	tb_copy_take(&of_b, b);
	memset(&assigned, 0xee, sizeof assigned);
	tb_copy_assign(&assigned, copy);
	assert_true(tb_copies_are_equal(copy, &assigned));
	assert_true(tb_copies_are_equal(&assigned, &of_b) == tb_equal(built, clone));
	assert_true(tb_copy_equal(&assigned, built));
	tb_unref(stack, built);
	tb_unref(stack, clone);
}

TEST_WITH(no_leaks, copies_agree_with_clones)
{
	struct random random = {11};
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	uint32_t equal = 0;
	for (int i = 0; i < 20000; i++) {
		struct tb_copy copy;
		struct tb_frame *a = build_random(&random, stack), *b = build_random(&random, stack);
		struct tb_frame *clone = tb_clone(stack, a, TB_COPY_FRAMES);
		tb_copy_take(&copy, a);
		assert_stands_for(&copy, clone, stack);
		assert_true(tb_copy_equal(&copy, b) == tb_equal(clone, b));
		assert_true((tb_copy_hash(&copy) == tb_hash(b)) == tb_equal(clone, b));
		equal += tb_equal(clone, b);
		assert_copies_agree(&copy, b, stack);
		tb_unref(stack, clone);
		tb_unref(stack, a);
		tb_unref(stack, b);
	}
	assert_in_range(equal, 500, 19500);
}

/* ---- memory failing ---- */

/* A hundred at once are more frames than one slab has. */
static bool build_copies(void *arg)
{
	struct tb_copy *copy = arg;
	struct tb_frame *all[100] = {NULL};
	struct tb_stack *stack = tb_stack_create(2);
	if (stack == NULL)
		return false;
	bool is_done = true;
	errno = 77;
	for (int i = 0; i < 100; i++) {
		all[i] = tb_copy_build(copy, stack);
		assert_true(tb_is_unknown(all[i]) || tb_copy_equal(copy, all[i]));
		is_done &= !tb_is_unknown(all[i]);
	}
	assert_true(is_done == (tb_stack_lost(stack) == 0));
	for (int i = 0; i < 100; i++)
		tb_unref(stack, all[i]);
	assert_int_equal(errno, 77);
	tb_stack_destroy(&stack);
	return is_done;
}

TEST_WITH(no_leaks, a_build_without_memory_is_unknown_and_leaks_nothing)
{
	struct tb_copy copy;
	struct tb_stack *stack = tb_stack_create(0);
	struct tb_frame *built = build(stack, TB_COPY_FRAMES, TB_EMPTY);
	tb_copy_take(&copy, built);
	tb_unref(stack, built);
	tb_stack_destroy(&stack);
	fixture_fail_each(build_copies, &copy);
}
