/* SPDX-License-Identifier: MIT
 * Places are numbered once each, and numbers stay. Time by traceback, also without room. */
#include "places.h"

#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "mem.h"
#include "session.h"
#include "test.h"

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

/* ---- paths ---- */

static struct paths *paths;
static size_t bytes_before;

static void create(void)
{
	bytes_before = mem_live_bytes();
	stack = tb_stack_create(0);
	paths = paths_create();
	assert_non_null(stack);
	assert_non_null(paths);
}

static void destroy(void)
{
	paths_destroy(&paths, stack);
	assert_null(paths);
	paths_destroy(&paths, stack);
	tb_stack_destroy(&stack);
	assert_int_equal(tb_live_frames(), 0);
	assert_int_equal(mem_live_bytes(), bytes_before);
}

static const struct test_fixture paths_fixture = {create, destroy};

/* Of one frame; released at once, so that only `paths` keeps it. */
static void add(uintptr_t position, enum path_kind kind, uint64_t ns, uint32_t extra)
{
	struct tb_site site = tb_site_make(1000, position);
	struct tb_frame *traceback = tb_build(stack, &site, 1, TB_EMPTY);
	paths_add(paths, traceback, kind, ns, extra);
	tb_unref(stack, traceback);
}

struct sum {
	size_t rows, overflows, unknown;
	uint64_t count[PATH_KINDS], ns[PATH_KINDS], surplus_ns[PATH_KINDS];
	uint64_t first_ns; /* committed, of the traceback with position 1 */
};

static void take(const struct tb_frame *traceback, bool is_overflow, const struct path_cost *cost, void *arg)
{
	struct sum *sum = arg;
	sum->rows++;
	sum->overflows += is_overflow;
	sum->unknown += tb_is_unknown(traceback) && !is_overflow;
	for (int kind = 0; kind < PATH_KINDS; kind++) {
		sum->count[kind] += AO_load(&cost->count[kind]);
		sum->ns[kind] += AO_load(&cost->ns[kind]);
		sum->surplus_ns[kind] += AO_load(&cost->surplus_ns[kind]);
	}
	if (tb_is_frame(traceback) && tb_frame_site(traceback).position == 1)
		sum->first_ns = AO_load(&cost->ns[PATH_COMMITTED]);
}

static struct sum all(void)
{
	struct sum sum = {0};
	paths_each(paths, take, &sum);
	return sum;
}

TEST_WITH(paths_fixture, costs_are_kept_by_traceback_and_kind)
{
	assert_int_equal(all().rows, 0);
	add(1, PATH_COMMITTED, 10, 0);
	add(2, PATH_ABORTED, 20, 0);
	add(1, PATH_COMMITTED, 1, 0);
	add(1, PATH_PAUSED, 3, 0);
	add(3, PATH_WAITING, 4, 2);
	struct sum sum = all();
	assert_int_equal(sum.rows, 3);
	assert_int_equal(sum.first_ns, 11);
	assert_int_equal(sum.count[PATH_COMMITTED], 2);
	assert_int_equal(sum.ns[PATH_ABORTED], 20);
	assert_int_equal(sum.ns[PATH_PAUSED], 3);
	assert_int_equal(sum.ns[PATH_WAITING], 4);
	assert_int_equal(sum.surplus_ns[PATH_WAITING], 8);
	assert_int_equal(sum.overflows + sum.unknown, 0);
}

TEST_WITH(paths_fixture, what_is_not_known_has_a_row_of_its_own)
{
	paths_add(paths, TB_UNKNOWN, PATH_ABORTED, 5, 0);
	paths_add(paths, TB_EMPTY, PATH_ABORTED, 6, 0);
	struct sum sum = all();
	assert_int_equal(sum.rows, 2);
	assert_int_equal(sum.unknown, 1);
	assert_int_equal(sum.ns[PATH_ABORTED], 11);
}

TEST_WITH(paths_fixture, what_finds_no_room_is_added_up)
{
	for (uintptr_t i = 1; i < PLACES_MAX; i++)
		add(i, PATH_COMMITTED, 1, 0);
	assert_int_equal(all().rows, PLACES_MAX - 1);
	assert_int_equal(all().overflows, 0);
	add(PLACES_MAX, PATH_COMMITTED, 7, 0);
	add(PLACES_MAX + 1, PATH_COMMITTED, 8, 0);
	add(1, PATH_COMMITTED, 1, 0);
	struct sum sum = all();
	assert_int_equal(sum.rows, PLACES_MAX);
	assert_int_equal(sum.overflows, 1);
	assert_int_equal(sum.ns[PATH_COMMITTED], PLACES_MAX - 1 + 15 + 1);
	assert_int_equal(sum.first_ns, 2);
}

TEST_WITH(paths_fixture, a_cleared_one_is_empty_and_keeps_no_frame)
{
	add(1, PATH_COMMITTED, 1, 0);
	assert_int_equal(tb_live_frames(), 1);
	paths_clear(paths, stack);
	assert_int_equal(all().rows, 0);
	assert_int_equal(tb_live_frames(), 0);
	add(1, PATH_COMMITTED, 1, 0);
	assert_int_equal(all().rows, 1);
}

TEST_WITH(paths_fixture, without_memory_there_is_none)
{
	mem_fail_at(1);
	assert_null(paths_create());
	mem_fail_at(0);
}
