/* SPDX-License-Identifier: MIT
 * An origin stands for the traceback that it was made of, whatever has become of the traceback and of the cache. */
#include "fixture.h"

#include <errno.h>
#include <string.h>

#include "mem.h"
#include "origins.h"
#include "random.h"

#define THREAD 7u

static struct origin_cache *cache;
static struct tb_stack *stack;

static void set_up(void)
{
	fixture_set_up();
	stack = tb_stack_create(0);
	cache = mem_alloc(sizeof *cache);
	origin_cache_open(cache, THREAD);
}

static void tear_down(void)
{
	origin_cache_clear(cache, stack);
	mem_free(cache, sizeof *cache);
	tb_stack_destroy(&stack);
	fixture_tear_down();
}

static const struct test_fixture origin_fixture = {set_up, tear_down};

/* The origin of frames made for it, which it does not keep. */
static uint64_t origin_of_sites(const struct tb_site *sites, size_t len, struct tb_frame *down)
{
	struct tb_frame *traceback = tb_build(stack, sites, len, down);
	uint64_t origin = origin_of(cache, stack, 1, traceback);
	tb_unref(stack, traceback);
	return origin;
}

static const struct tb_copy *traceback_of(uint64_t origin)
{
	struct stmlog_origin_parts parts;
	assert_true(stmlog_origin_read(origin, &parts));
	return parts.traceback;
}

/* The first test, because the table is allocated once. */
TEST_WITH(origin_fixture, without_memory_for_the_table_a_place_is_unknown_and_counted)
{
	const struct tb_site site = {3, 1};
	struct tb_frame *traceback = tb_build(stack, &site, 1, TB_EMPTY);
	uint64_t before = tb_stack_lost(stack);
	mem_fail_at(1);
	errno = 77;
	assert_null(traceback_of(origin_of(cache, stack, 1, traceback)));
	assert_int_equal(errno, 77);
	assert_int_equal(tb_stack_lost(stack), before + 1);
	tb_unref(stack, traceback);
	origin_cache_clear(cache, stack);
	assert_int_equal(traceback_of(origin_of_sites(&site, 1, TB_EMPTY))->sites[0].position, 1);
}

TEST_WITH(origin_fixture, an_origin_has_the_thread_the_attempt_and_the_traceback)
{
	const struct tb_site sites[] = {{5, 1}, {5, 2}, {5, 3}};
	struct tb_frame *traceback = tb_build(stack, sites, 3, TB_EMPTY);
	uint64_t origin = origin_of(cache, stack, STMLOG_ORIGIN_ATTEMPTS + 4, traceback);
	tb_unref(stack, traceback);
	struct stmlog_origin_parts parts;
	assert_true(stmlog_origin_read(origin, &parts));
	assert_int_equal(origin >> 63, 0);
	assert_int_equal(parts.thread, THREAD);
	assert_int_equal(parts.attempt, 3);
	assert_int_equal(parts.traceback->len, 3);
	assert_true(parts.traceback->is_whole);
	assert_memory_equal(parts.traceback->sites, sites, sizeof sites);
}

TEST_WITH(origin_fixture, equal_sites_in_other_frames_are_the_same_place_and_unequal_ones_are_not)
{
	const struct tb_site one[] = {{5, 1}, {5, 2}}, other[] = {{5, 1}, {5, 9}};
	uint64_t origin = origin_of_sites(one, 2, TB_EMPTY);
	assert_int_equal(origin_of_sites(one, 2, TB_EMPTY), origin);
	assert_int_not_equal(origin_of_sites(other, 2, TB_EMPTY), origin);
	assert_int_not_equal(origin_of_sites(one, 2, TB_UNKNOWN), origin);
	assert_int_not_equal(origin_of_sites(one, 1, TB_EMPTY), origin);
	assert_int_equal(origin_of_sites(one, 2, TB_EMPTY), origin);
}

/* A frame that is not kept is used again for other sites. */
TEST_WITH(origin_fixture, the_same_frames_with_other_sites_are_another_place)
{
	uint64_t origin[2][8];
	for (unsigned round = 0; round < 2; round++) {
		for (uintptr_t i = 0; i < 8; i++) {
			tb_push(stack, tb_site_make(6, i));
			tb_push(stack, tb_site_make(6, 100));
			origin[round][i] = origin_of(cache, stack, 1, tb_current(stack));
			assert_int_equal(traceback_of(origin[round][i])->sites[1].position, i);
			tb_pop(stack);
			tb_pop(stack);
		}
	}
	assert_memory_equal(origin[0], origin[1], sizeof origin[0]);
}

TEST_WITH(origin_fixture, a_site_that_is_not_pushed_is_the_place_that_it_would_be_if_it_were)
{
	struct random random = {2};
	for (int i = 0; i < 5000; i++) {
		struct tb_site site = tb_site_make(4, random_below(&random, 9));
		size_t depth = random_below(&random, 4);
		for (size_t j = 0; j < depth; j++)
			tb_push(stack, tb_site_make(4, random_below(&random, 9)));
		bool comes_first = random_below(&random, 2) == 0;
		uint64_t here = comes_first ? origin_at(cache, stack, 1, site) : 0;
		tb_push(stack, site);
		uint64_t pushed = origin_of(cache, stack, 1, tb_current(stack));
		tb_pop(stack);
		assert_int_equal(comes_first ? here : origin_at(cache, stack, 1, site), pushed);
		assert_int_equal(traceback_of(pushed)->len, depth + 1);
		tb_unwind(stack, (struct tb_mark){0});
	}
}

TEST_WITH(origin_fixture, a_traceback_without_frames_is_an_unknown_place)
{
	assert_null(traceback_of(origin_of(cache, stack, 1, TB_EMPTY)));
	assert_null(traceback_of(origin_of(cache, stack, 1, TB_UNKNOWN)));
}

TEST_WITH(origin_fixture, a_deep_traceback_is_known_by_its_inner_frames)
{
	for (uintptr_t i = 0; i < 3 * TB_COPY_FRAMES; i++)
		tb_push(stack, tb_site_make(7, i));
	const struct tb_copy *traceback = traceback_of(origin_of(cache, stack, 1, tb_current(stack)));
	assert_int_equal(traceback->len, TB_COPY_FRAMES);
	assert_false(traceback->is_whole);
	assert_int_equal(traceback->sites[0].position, 3 * TB_COPY_FRAMES - 1);
	tb_unwind(stack, (struct tb_mark){0});
}

TEST_WITH(origin_fixture, a_thread_of_too_high_a_number_is_unknown_and_its_traceback_is_not)
{
	const struct tb_site site = {5, 1};
	struct stmlog_origin_parts parts;
	origin_cache_open(cache, 1u << ORIGIN_THREAD_BITS);
	assert_true(stmlog_origin_read(origin_of_sites(&site, 1, TB_EMPTY), &parts));
	assert_int_equal(parts.thread, 0);
	assert_int_equal(parts.traceback->sites[0].position, 1);
}

TEST_WITH(origin_fixture, an_origin_of_an_earlier_session_is_not_known)
{
	const struct tb_site site = {5, 1};
	struct stmlog_origin_parts parts;
	uint64_t origin = origin_of_sites(&site, 1, TB_EMPTY);
	origins_close();
	assert_false(stmlog_origin_read(origin, &parts));
	assert_int_equal(parts.thread, 0);
	assert_null(parts.traceback);
}

/* ---- frames of an origin ---- */

TEST_WITH(origin_fixture, the_frames_of_an_origin_are_the_cached_ones_or_new_ones_with_the_same_sites)
{
	const struct tb_site sites[] = {{5, 1}, {5, 2}};
	struct tb_frame *traceback = tb_build(stack, sites, 2, TB_EMPTY);
	uint64_t origin = origin_of(cache, stack, 1, traceback);
	struct tb_frame *cached = origin_frames(cache, stack, origin);
	assert_ptr_equal(cached, traceback);
	origin_cache_clear(cache, stack);
	struct tb_frame *made = origin_frames(cache, stack, origin);
	assert_ptr_not_equal(made, traceback);
	assert_true(tb_equal(made, traceback));
	tb_unref(stack, made);
	tb_unref(stack, cached);
	tb_unref(stack, traceback);
}

TEST_WITH(origin_fixture, an_origin_without_a_place_has_unknown_frames)
{
	assert_ptr_equal(origin_frames(cache, stack, 0), TB_UNKNOWN);
	assert_ptr_equal(origin_frames(cache, stack, origin_of(cache, stack, 1, TB_EMPTY)), TB_UNKNOWN);
	assert_ptr_equal(origin_frames(cache, stack, UINT64_MAX), TB_UNKNOWN);
}

/* ---- the attempt of an origin ---- */

static struct attempts attempts;

/* Of an origin of the thread, in the attempt of this number. */
static struct culprit culprit_in(uint64_t attempt)
{
	struct stmlog_origin_parts parts;
	assert_true(stmlog_origin_read(origin_of(cache, stack, attempt, TB_EMPTY), &parts));
	return origin_culprit(&parts);
}

/* The last attempt of the thread has this number. */
static void publish(uint64_t last)
{
	AO_store(&attempts.word, last << 1);
	attempts_publish(&attempts, THREAD);
}

TEST_WITH(origin_fixture, the_attempt_of_an_origin_is_the_newest_one_with_its_lower_bits)
{
	const uint64_t many = STMLOG_ORIGIN_ATTEMPTS + 1, numbers[] = {many + 7, many + 6, many, many - 1, 8};
	publish(many + 7);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		assert_int_equal(culprit_in(numbers[i]).attempt, numbers[i]);
		assert_ptr_equal(culprit_in(numbers[i]).attempts, &attempts);
	}
	assert_int_equal(culprit_in(7).attempt, many + 7);
	attempts_unpublish_all();
}

TEST_WITH(origin_fixture, an_attempt_that_has_not_begun_is_not_found)
{
	publish(7);
	assert_int_equal(culprit_in(7).attempt, 7);
	assert_int_equal(culprit_in(1).attempt, 1);
	assert_null(culprit_in(8).attempts);
	assert_null(culprit_in(0).attempts);
	attempts_unpublish_all();
}

TEST_WITH(origin_fixture, without_the_thread_there_is_no_attempt)
{
	struct stmlog_origin_parts parts;
	publish(7);
	attempts_unpublish_all();
	assert_null(culprit_in(7).attempts);
	publish(7);
	origin_cache_open(cache, 1u << ORIGIN_THREAD_BITS);
	assert_null(culprit_in(7).attempts);
	assert_false(stmlog_origin_read(0, &parts));
	assert_null(origin_culprit(&parts).attempts);
	attempts_unpublish_all();
}

/* ---- limits ---- */

/* Far more places than the cache has room for, in a random order: each origin still has its own traceback. */
TEST_WITH(origin_fixture, the_cache_never_mistakes_one_place_for_another)
{
	struct random random = {1};
	for (int i = 0; i < 20000; i++) {
		struct tb_site sites[4];
		size_t len = 1 + random_below(&random, 4);
		for (size_t j = 0; j < len; j++)
			sites[j] = tb_site_make(8, random_below(&random, 5));
		const struct tb_copy *traceback = traceback_of(origin_of_sites(sites, len, TB_EMPTY));
		assert_non_null(traceback);
		assert_int_equal(traceback->len, len);
		assert_memory_equal(traceback->sites, sites, len * sizeof sites[0]);
	}
}

/* The last test, because the table is the process's, and is never emptied. */
TEST_WITH(origin_fixture, a_full_table_makes_further_tracebacks_unknown_and_keeps_the_others)
{
	const struct tb_site first = {9, 0};
	uint64_t origin = origin_of_sites(&first, 1, TB_EMPTY);
	unsigned unknown = 0;
	for (uintptr_t i = 1; i < 4 * ORIGIN_PLACES; i++) {
		struct tb_site site = {9, i};
		const struct tb_copy *traceback = traceback_of(origin_of_sites(&site, 1, TB_EMPTY));
		unknown += traceback == NULL;
		if (traceback != NULL)
			assert_int_equal(traceback->sites[0].position, i);
	}
	assert_in_range(unknown, 3 * ORIGIN_PLACES, 4 * ORIGIN_PLACES);
	assert_int_equal(traceback_of(origin)->sites[0].position, 0);
	assert_int_equal(origin_of_sites(&first, 1, TB_EMPTY), origin);
}
