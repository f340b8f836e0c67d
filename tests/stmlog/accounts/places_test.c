/* SPDX-License-Identifier: MIT
 * Places are numbered once each, and numbers stay. */
#include "places.h"
#include "words.h"

#include "fixture.h"
#include "mem.h"

static struct places *places;
static struct tb_stack *stack;

static void set_up(void)
{
	fixture_set_up();
	places = mem_alloc(sizeof *places);
	stack = tb_stack_create(0);
	assert_non_null(places);
	assert_non_null(stack);
}

static void tear_down(void)
{
	places_clear(places, stack);
	mem_free(places, sizeof *places);
	tb_stack_destroy(&stack);
	words_forget();
	fixture_tear_down();
}

static const struct test_fixture fixture = {set_up, tear_down};

/* Owned. */
static struct tb_frame *traceback_of(uintptr_t inner, uintptr_t outer)
{
	struct tb_site sites[2] = {tb_site_make(TB_CODE_ADDRESS, inner), tb_site_make(TB_CODE_ADDRESS, outer)};
	return tb_build(stack, sites, 2, TB_EMPTY);
}

static uint32_t number_of(uintptr_t inner, uintptr_t outer, const char *word)
{
	struct tb_frame *traceback = traceback_of(inner, outer);
	uint32_t number = places_number(places, traceback, word);
	tb_unref(stack, traceback);
	return number;
}

TEST_WITH(fixture, the_same_traceback_and_word_have_one_number_in_whatever_frames)
{
	static const char word[] = "A";
	uint32_t first = number_of(1, 2, word);
	assert_int_equal(first, 1);
	struct tb_frame *again = traceback_of(1, 2);
	assert_ptr_not_equal(again, places->rows[1].traceback);
	assert_int_equal(places_number(places, again, word), first);
	tb_unref(stack, again);
	assert_int_equal(places->len, 2);
}

TEST_WITH(fixture, another_traceback_or_word_has_another_number)
{
	static const char a[] = "A", b[] = "B";
	assert_int_equal(number_of(1, 2, a), 1);
	assert_int_equal(number_of(1, 3, a), 2);
	assert_int_equal(number_of(1, 2, b), 3);
	assert_int_equal(number_of(1, 2, NULL), 4);
	assert_int_equal(places_number(places, TB_EMPTY, NULL), 5);
	assert_int_equal(places_number(places, TB_UNKNOWN, a), 6);
	assert_int_equal(number_of(1, 3, a), 2);
}

TEST_WITH(fixture, unknown_without_a_word_is_number_0_and_takes_no_room)
{
	assert_int_equal(places_number(places, TB_UNKNOWN, NULL), 0);
	assert_int_equal(places->len, 0);
}

TEST_WITH(fixture, beyond_the_last_number_it_is_0_and_counted)
{
	for (uintptr_t i = 1; i < PLACES_MAX; i++)
		assert_int_equal(number_of(i, i / 7, NULL), i);
	assert_int_equal(number_of(PLACES_MAX, 0, NULL), 0);
	assert_int_equal(number_of(PLACES_MAX, 0, NULL), 0);
	assert_int_equal(places->refused, 2);
	for (uintptr_t i = 1; i < PLACES_MAX; i++)
		assert_int_equal(number_of(i, i / 7, NULL), i);
	places_clear(places, stack);
	assert_int_equal(number_of(PLACES_MAX, 0, NULL), 1);
}
