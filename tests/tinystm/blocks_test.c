/* SPDX-License-Identifier: MIT
 * Numbers of places; the table is the process's and only grows, so the last test fills it. */
#include "fixture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"

static struct tb_stack *stack;

static int setup(void **state)
{
	fixture_setup(state);
	stack = tb_stack_create(0);
	return stack == NULL;
}

static int teardown(void **state)
{
	tb_stack_destroy(&stack);
	return fixture_teardown(state);
}

/* A traceback of `len` frames, whose innermost is `first`. */
static struct tb_frame *place_in(struct tb_stack *of, uintptr_t first, size_t len)
{
	struct tb_site sites[3 * TB_COPY_FRAMES];
	for (size_t i = 0; i < len; i++)
		sites[i] = tb_site_make(77, first + i);
	return tb_build(of, sites, len, TB_EMPTY);
}

static uint32_t number_of(uintptr_t first, size_t len)
{
	struct tb_frame *place = place_in(stack, first, len);
	uint32_t number = tiny_block_of(place);
	if (number != 0 && len <= TB_COPY_FRAMES)
		assert_true(tb_copy_equal(tiny_block_at(number), place));
	tb_unref(stack, place);
	return number;
}

static void no_place_has_no_number(void **state)
{
	(void)state;
	assert_int_equal(tiny_block_of(TB_EMPTY), 0);
	assert_int_equal(tiny_block_of(TB_UNKNOWN), 0);
	assert_null(tiny_block_at(0));
}

static void equal_places_have_one_number_and_different_ones_two(void **state)
{
	(void)state;
	uint32_t one = number_of(1000, 3), two = number_of(1000, 4), three = number_of(1001, 3);
	assert_true(one != 0 && two != 0 && three != 0);
	assert_true(one != two && two != three && one != three);
	assert_int_equal(number_of(1000, 3), one);
	assert_int_equal(number_of(1000, 4), two);
	assert_int_equal(number_of(1001, 3), three);
}

static void a_cut_place_is_another_than_the_whole_one(void **state)
{
	(void)state;
	struct tb_site site = tb_site_make(77, 2000);
	struct tb_frame *cut = tb_build(stack, &site, 1, TB_UNKNOWN);
	uint32_t number = tiny_block_of(cut);
	tb_unref(stack, cut);
	assert_true(number != 0);
	assert_true(number != number_of(2000, 1));
}

static void places_too_deep_are_one_if_their_innermost_frames_are(void **state)
{
	(void)state;
	uint32_t whole = number_of(3000, TB_COPY_FRAMES), cut = number_of(3000, TB_COPY_FRAMES + 1);
	assert_true(whole != 0 && cut != 0 && whole != cut);
	assert_int_equal(number_of(3000, 2 * TB_COPY_FRAMES), cut);
	assert_int_equal(tiny_block_at(cut)->len, TB_COPY_FRAMES);
	assert_false(tiny_block_at(cut)->is_whole);
}

#define RACERS 4
#define RACED 40

static uint32_t raced[RACERS][RACED];

static void *race(void *arg)
{
	uint32_t *numbers = arg;
	struct tb_stack *own = tb_stack_create(0);
	for (size_t i = 0; i < RACED; i++) {
		struct tb_frame *place = place_in(own, 4000 + i, 2);
		numbers[i] = tiny_block_of(place);
		tb_unref(own, place);
	}
	tb_stack_destroy(&own);
	return NULL;
}

static void threads_that_find_a_place_at_once_agree_on_its_number(void **state)
{
	(void)state;
	pthread_t threads[RACERS];
	for (size_t i = 0; i < RACERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, race, raced[i]), 0);
	for (size_t i = 0; i < RACERS; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < RACED; i++) {
		assert_true(raced[0][i] != 0);
		for (size_t r = 1; r < RACERS; r++)
			assert_int_equal(raced[r][i], raced[0][i]);
		assert_int_equal(number_of(4000 + i, 2), raced[0][i]);
	}
}

static void a_table_that_is_full_keeps_what_it_has_and_takes_no_more(void **state)
{
	(void)state;
	static uint32_t numbers[4 * TINY_BLOCKS];
	static bool is_taken[TINY_BLOCKS];
	size_t count = 0;
	uint32_t one = number_of(1000, 3);
	for (uintptr_t i = 0; i < 4 * TINY_BLOCKS; i++) {
		numbers[i] = number_of(100000 + i, 1);
		assert_true(numbers[i] < TINY_BLOCKS);
		assert_true(numbers[i] == 0 || !is_taken[numbers[i]]);
		is_taken[numbers[i]] = true;
		count += numbers[i] != 0;
	}
	assert_in_range(count, TINY_BLOCKS / 2, TINY_BLOCKS - 1);
	for (uintptr_t i = 0; i < 4 * TINY_BLOCKS; i++)
		assert_int_equal(number_of(100000 + i, 1), numbers[i]);
	assert_int_equal(number_of(1000, 3), one);
}

#define BLOCKS_TEST(claim) cmocka_unit_test_setup_teardown(claim, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BLOCKS_TEST(no_place_has_no_number),
		BLOCKS_TEST(equal_places_have_one_number_and_different_ones_two),
		BLOCKS_TEST(a_cut_place_is_another_than_the_whole_one),
		BLOCKS_TEST(places_too_deep_are_one_if_their_innermost_frames_are),
		BLOCKS_TEST(threads_that_find_a_place_at_once_agree_on_its_number),
		BLOCKS_TEST(a_table_that_is_full_keeps_what_it_has_and_takes_no_more),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
