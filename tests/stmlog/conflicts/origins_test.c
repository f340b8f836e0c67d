/* SPDX-License-Identifier: MIT
 * An origin stands for the traceback that it was made of, whatever has become of the traceback and of the cache. */
#include "fixture.h"

#include <errno.h>
#include <string.h>

#include "mem.h"
#include "origins.h"
#include "random.h"
#include "stress.h"

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
	static struct stmlog_origin_parts parts;
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
		uint64_t here = comes_first ? origin_at(cache, stack, 1, site, tb_current(stack)) : 0;
		tb_push(stack, site);
		uint64_t pushed = origin_of(cache, stack, 1, tb_current(stack));
		tb_pop(stack);
		assert_int_equal(comes_first ? here : origin_at(cache, stack, 1, site, tb_current(stack)), pushed);
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

/* ---- more tracebacks than the table has room for ---- */

enum { DEPTH = 6, CALLERS = 100, KEPT = 5000 };

/* What a naive model keeps of an origin: all that it was made of. */
struct made {
	uint64_t origin, attempt;
	uint32_t thread;
	struct tb_site sites[DEPTH];
};

/* Returns how many frames are known, innermost first. */
static uint32_t known(const struct made *made)
{
	struct stmlog_origin_parts parts;
	assert_true(stmlog_origin_read(made->origin, &parts));
	assert_int_equal(parts.attempt, made->attempt & STMLOG_ORIGIN_ATTEMPTS);
	assert_int_equal(parts.traceback->is_whole, parts.traceback->len == DEPTH);
	assert_memory_equal(parts.traceback->sites, made->sites, parts.traceback->len * sizeof made->sites[0]);
	assert_true(parts.thread == made->thread || (parts.thread == 0 && parts.traceback->len == 1));
	return parts.traceback->len;
}

static uint32_t make(struct made *made, uint32_t thread, uint64_t attempt, uintptr_t site, uintptr_t caller)
{
	*made = (struct made){.attempt = attempt, .thread = thread, .sites = {{8, site}}};
	for (uint32_t i = 1; i < DEPTH; i++, caller /= CALLERS)
		made->sites[i] = tb_site_make(8, caller % CALLERS);
	struct tb_frame *traceback = tb_build(stack, made->sites, DEPTH, TB_EMPTY);
	made->origin = origin_of(cache, stack, attempt, traceback);
	tb_unref(stack, traceback);
	return known(made);
}

TEST_WITH(origin_fixture, without_memory_for_private_places_the_innermost_frames_are_known_and_then_the_site)
{
	struct made made;
	unsigned count[DEPTH + 1] = {0};
	make(&made, THREAD, 1, 0, 0);
	for (uintptr_t i = 0; i < 2 * ORIGIN_PLACES; i++) {
		mem_fail_at(1);
		uint32_t len = make(&made, THREAD, 1, i % 3, i);
		mem_fail_at(0);
		struct tb_frame *frames = origin_frames(cache, stack, made.origin);
		assert_int_equal(tb_depth(frames), len);
		tb_unref(stack, frames);
		count[len]++;
	}
	assert_in_range(count[DEPTH], 100, STMLOG_ORIGIN_PLACES);
	assert_in_range(count[4], 100, ORIGIN_PLACES);
	assert_int_equal(count[DEPTH] + count[4] + count[1], 2 * ORIGIN_PLACES);
}

TEST_WITH(origin_fixture, each_of_65536_tracebacks_of_an_attempt_is_known_and_so_are_a_thousand_others)
{
	struct made made;
	for (uintptr_t i = 0; i < 65536 + 1000; i++)
		assert_int_equal(make(&made, THREAD, 1, 3 + i / 65536, i), DEPTH);
}

TEST_WITH(origin_fixture, an_origin_has_its_own_traceback_or_its_site_alone_whatever_came_later)
{
	static struct made all[KEPT];
	struct random random = {1};
	uint32_t thread = THREAD, steps = stress_times(300000);
	uint64_t attempt = 1;
	unsigned seen[DEPTH + 1] = {0};
	for (uint32_t i = 0; i < steps; i++) {
		struct made made, *other = &all[random_below(&random, KEPT)];
		attempt += random_below(&random, 400) == 0;
		attempt += (uint64_t)(random_below(&random, 2000) == 0) << STMLOG_ORIGIN_ATTEMPT_BITS;
		if (random_below(&random, 2000) == 0) {
			origin_cache_clear(cache, stack);
			origin_cache_open(cache, ++thread);
		}
		uintptr_t site = random_below(&random, 9) / 8, caller = random_below(&random, CALLERS * CALLERS);
		assert_int_equal(make(&made, thread, attempt, site, caller), DEPTH);
		seen[other->origin != 0 ? known(other) : 0]++;
		if (random_below(&random, 10) == 0) /* so that some are kept for many turns of a row */
			all[random_below(&random, KEPT)] = made;
	}
	assert_true(seen[DEPTH] > 0 && seen[1] > 0);
	assert_int_equal(seen[0] + seen[1] + seen[DEPTH], steps);
}

TEST_WITH(origin_fixture, a_cached_traceback_whose_row_another_one_has_got_gets_a_new_place)
{
	struct made made;
	uintptr_t other = 21;
	while (origin_set(cache, tb_site_make(8, other)) == origin_set(cache, tb_site_make(8, 20)))
		other++;
	for (uintptr_t i = 0; i < 256; i++) /* the site has the same row every 128 fills */
		assert_int_equal(make(&made, THREAD, 1, i % 128 == 0 ? 20 : other, i), DEPTH);
	assert_int_equal(make(&made, THREAD, 1, 20, 0), DEPTH);
}

TEST_WITH(origin_fixture, a_cached_traceback_gets_a_new_place_when_attempts_have_another_upper_bit)
{
	struct made made;
	make(&made, THREAD, STMLOG_ORIGIN_ATTEMPTS, 11, 0);
	make(&made, THREAD, STMLOG_ORIGIN_ATTEMPTS + 2, 12, 0);
	assert_int_equal(make(&made, THREAD, STMLOG_ORIGIN_ATTEMPTS + 2, 11, 0), DEPTH);
}

/* The last test, because the table is the process's, and is never emptied. */
TEST_WITH(origin_fixture, of_more_sites_than_there_is_room_for_some_are_unknown_and_the_others_stay)
{
	const struct tb_site first = {9, 0};
	uint64_t origin = origin_of_sites(&first, 1, TB_EMPTY);
	unsigned unknown = 0;
	for (uintptr_t i = 1; i < 16 * ORIGIN_PLACES; i++) {
		struct tb_site site = {9, i};
		const struct tb_copy *traceback = traceback_of(origin_of_sites(&site, 1, TB_EMPTY));
		unknown += traceback == NULL;
		if (traceback != NULL)
			assert_int_equal(traceback->sites[0].position, i);
	}
	assert_in_range(unknown, 9 * ORIGIN_PLACES, 16 * ORIGIN_PLACES);
	assert_int_equal(traceback_of(origin)->sites[0].position, 0);
}
