/* SPDX-License-Identifier: MIT
 * Walkers: where they stand, how they come back, and what memory that takes. */
#include <errno.h>

#include "capture_stderr.h"
#include "mem.h"
#include "misuse.h"
#include "one_walker.h"
#include "stress.h"

#define PATH(...) ((const uint32_t[]){__VA_ARGS__}), sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

#define EXPECT_BACK_AT(...) (stmlog_walker_exit(walker), expect_path(walker, __VA_ARGS__))

/* ---- memory ---- */

typedef void step(struct stmlog_walker *walker, uint32_t site);

/* A loop of calls of `length` functions that call each other; how much memory that has taken. */
static size_t live_after(step *call, uint32_t length, size_t times)
{
	OWNED(stmlog_profile_destroy) struct stmlog_profile *own = stmlog_profile_create(64, 16);
	OWNED(stmlog_walker_destroy) struct stmlog_walker *looping = stmlog_walker_create(own);
	for (uint32_t i = 0; i < times; i++)
		call(looping, i % length);
	size_t bytes = mem_live_bytes();
	return bytes;
}

static bool takes_constant_memory(step *call, uint32_t length)
{
	enum { SLACK = 4096 };
	return live_after(call, length, 4096) <= live_after(call, length, 1024) + SLACK;
}

/* What a walker would be that takes each tail call for a call. */
static void push_instead(struct stmlog_walker *broken, uint32_t site)
{
	stmlog_walker_enter(broken, site);
}

/* First: a mistake is told once only. */
TEST_WITH(walker_fixture, exit_on_the_root_is_a_mistake_and_does_nothing)
{
	char told[200];
	size_t before = misuse_total();
	capture_stderr_begin();
	stmlog_walker_exit(walker);
	walk(walker, "1<<");
	capture_stderr_end(told, sizeof told);
	assert_int_equal(misuse_total() - before, 2);
	assert_string_equal(told,
		"stmlog: caller's mistake, ignored: stmlog_walker_exit on the root (further ones are only counted)\n");
	expect_path(walker, NULL, 0);
	walk(walker, "12<<");
	expect_profile(profile, "[](1,0)[1](2,20)[1 2](1,20)");
}

TEST_WITH(walker_fixture, a_loop_of_tail_calls_takes_constant_memory)
{
	for (uint32_t length = 1; length <= 5; length++)
		assert_true(takes_constant_memory(stmlog_walker_replace, length));
	for (uint32_t length = 2; length <= 5; length++)
		assert_false(takes_constant_memory(push_instead, length));
}

TEST_WITH(walker_fixture, a_function_that_calls_itself_millions_of_times_takes_constant_memory)
{
	uint64_t times = stress_times(10000000);
	stmlog_walker_enter(walker, 1);
	stmlog_walker_enter(walker, 2);
	size_t live = mem_live_bytes();
	for (uint64_t i = 0; i < times; i++)
		stmlog_walker_enter(walker, 2);
	assert_int_equal(mem_live_bytes(), live);
	assert_int_equal(stmlog_profile_calls_from(profile, 1, 2), times + 1);
	for (uint64_t i = 0; i < times; i++)
		stmlog_walker_exit(walker);
	expect_path(walker, PATH(1, 2));
	EXPECT_BACK_AT(PATH(1));
	EXPECT_BACK_AT(NULL, 0);
}

static bool make_walker(void *arg)
{
	struct stmlog_profile *shared = arg;
	OWNED(stmlog_walker_destroy) struct stmlog_walker *made = stmlog_walker_create(shared);
	bool is_made = made != NULL;
	return is_made;
}

TEST_WITH(walker_fixture, a_walker_is_made_whole_or_not_at_all)
{
	struct stmlog_profile *shared = stmlog_profile_create(4, 4);
	fixture_fail_each(make_walker, shared);
	/* Those that were not made hold nothing. */
	stmlog_profile_destroy(&shared);
	assert_null(shared);
}

/* Enters 1 and 2 by turns until an allocation has failed; returns how often. */
static size_t enter_until_failed(void)
{
	size_t depth = 0;
	mem_fail_at(1);
	while (mem_fail_left() != 0)
		stmlog_walker_enter(walker, 1 + (uint32_t)(depth++ % 2));
	return depth;
}

TEST_WITH(walker_fixture, a_stack_that_cannot_grow_goes_to_the_overflow_and_comes_back)
{
	errno = 0;
	size_t depth = enter_until_failed();
	assert_int_equal(errno, 0);
	expect_path(walker, PATH(STMLOG_SITE_OVERFLOW));
	stmlog_walker_enter(walker, 3);
	stmlog_walker_replace(walker, 4);
	stmlog_walker_add(walker, STMLOG_WEIGHT_OWN, 7);
	expect_path(walker, PATH(STMLOG_SITE_OVERFLOW));
	assert_int_equal(stmlog_profile_overflowed(profile), 3);
	assert_int_equal(profile_sums(profile).own, 7);
	assert_int_equal(profile_sums(profile).calls, depth + 2);
	EXPECT_BACK_AT(PATH(STMLOG_SITE_OVERFLOW));
	stmlog_walker_exit(walker);
	assert_int_equal(stmlog_profile_nodes(profile), 3);
	/* Now there is memory. */
	for (size_t i = depth - 1; i < 1000; i++)
		stmlog_walker_enter(walker, 1 + (uint32_t)(i % 2));
	expect_path(walker, PATH(1, 2));
	for (size_t i = 1000; i-- > 1;)
		stmlog_walker_exit(walker);
	expect_path(walker, PATH(1));
	assert_int_equal(stmlog_profile_overflowed(profile), 3);
}

TEST_WITH(walker_fixture, a_tail_call_on_a_stack_that_cannot_grow_is_left_by_one_exit)
{
	size_t depth = enter_until_failed();
	stmlog_walker_replace(walker, 3);
	stmlog_walker_exit(walker);
	for (size_t i = depth - 1; i > 1; i--)
		stmlog_walker_exit(walker);
	expect_path(walker, PATH(1));
}

/* ---- where it stands ---- */

TEST_WITH(walker_fixture, exit_goes_back_to_where_the_walker_was)
{
	walk(walker, "1212");
	expect_path(walker, PATH(1, 2));
	EXPECT_BACK_AT(PATH(1, 2, 1));
	EXPECT_BACK_AT(PATH(1, 2));
	EXPECT_BACK_AT(PATH(1));
	EXPECT_BACK_AT(NULL, 0);
}

TEST_WITH(walker_fixture, a_weight_that_there_is_not_is_a_mistake)
{
	char told[200];
	size_t before = misuse_total();
	capture_stderr_begin();
	stmlog_walker_add(walker, STMLOG_WEIGHTS, 1);
	stmlog_walker_add(walker, (enum stmlog_weight) - 1, 1);
	capture_stderr_end(told, sizeof told);
	assert_int_equal(misuse_total() - before, 2);
	expect_profile(profile, "[](1,0)");
}

static void expect_weights(const struct stmlog_profile_path *path, void *arg)
{
	(void)arg;
	for (uint64_t i = 0; i < STMLOG_WEIGHTS; i++)
		assert_int_equal(path->weights[i], path->len == 0 ? 1000 + i : 2 * (100 + i));
}

TEST_WITH(walker_fixture, weights_stay_apart_and_add_up)
{
	for (int i = 0; i < STMLOG_WEIGHTS; i++)
		stmlog_walker_add(walker, (enum stmlog_weight)i, (uint64_t)(1000 + i));
	stmlog_walker_enter(walker, 1);
	for (int i = 0; i < 2 * STMLOG_WEIGHTS; i++)
		stmlog_walker_add(
			walker, (enum stmlog_weight)(i % STMLOG_WEIGHTS), (uint64_t)(100 + i % STMLOG_WEIGHTS));
	stmlog_profile_query(profile, expect_weights, NULL);
}

TEST_WITH(walker_fixture, replace_on_the_root_enters)
{
	stmlog_walker_replace(walker, 1);
	expect_path(walker, PATH(1));
	stmlog_walker_replace(walker, 2);
	expect_path(walker, PATH(1, 2));
	EXPECT_BACK_AT(NULL, 0);
}

/* Of repeated nodes it is the last one that is replaced. */
TEST_WITH(walker_fixture, replace_takes_only_the_place_of_the_last_call)
{
	walk(walker, "111");
	stmlog_walker_replace(walker, 2);
	expect_path(walker, PATH(1, 2));
	stmlog_walker_replace(walker, 1);
	stmlog_walker_replace(walker, 2);
	expect_path(walker, PATH(1, 2));
	EXPECT_BACK_AT(PATH(1));
	stmlog_walker_exit(walker);
	EXPECT_BACK_AT(NULL, 0);
}

TEST_WITH(walker_fixture, a_path_is_given_as_far_as_there_is_room)
{
	uint32_t sites[4] = {7, 7, 7, 7};
	walk(walker, "123");
	assert_int_equal(stmlog_walker_path(walker, NULL, 0), 3);
	assert_int_equal(stmlog_walker_path(walker, sites, 2), 3);
	assert_memory_equal(sites, ((uint32_t[]){1, 2, 7, 7}), sizeof sites);
	assert_int_equal(stmlog_walker_path(walker, sites, 4), 3);
	assert_memory_equal(sites, ((uint32_t[]){1, 2, 3, 7}), sizeof sites);
}

TEST_WITH(walker_fixture, walkers_by_turns_add_up_in_one_profile)
{
	OWNED(stmlog_walker_destroy) struct stmlog_walker *other = stmlog_walker_create(profile);
	walk(walker, "1");
	walk(other, "1");
	walk(walker, "2");
	walk(other, "3");
	walk(walker, "3<");
	walk(other, "<2");
	expect_path(walker, PATH(1, 2));
	expect_path(other, PATH(1, 2));
	walk(walker, "<<");
	expect_path(other, PATH(1, 2));
	expect_profile(profile, "[](2,0)[1](2,20)[1 2](2,40)[1 2 3](1,30)[1 3](1,30)");
}

TEST_WITH(walker_fixture, no_walker_is_allowed_everywhere)
{
	size_t before = misuse_total();
	struct stmlog_walker *none = NULL;
	uint32_t site;
	stmlog_walker_enter(NULL, 1);
	stmlog_walker_replace(NULL, 1);
	stmlog_walker_exit(NULL);
	stmlog_walker_add(NULL, STMLOG_WEIGHT_OWN, 1);
	stmlog_walker_add(NULL, STMLOG_WEIGHTS, 1);
	assert_int_equal(stmlog_walker_path(NULL, &site, 1), 0);
	stmlog_walker_destroy(&none);
	stmlog_walker_destroy(NULL);
	assert_int_equal(misuse_total(), before);
}
