/* SPDX-License-Identifier: MIT
 * What a profile tells: paths in order, sums of calls, and profiles added up. */
#include "one_walker.h"
#include "profile_model.h"
#include "random.h"
#include "stress.h"

/* ---- cases ---- */

TEST_WITH(walker_fixture, each_path_has_its_calls_and_its_own_weight)
{
	walk(walker, "123<4<<3");
	stmlog_walker_add(walker, STMLOG_WEIGHT_OWN, 1);
	expect_profile(profile, "[](1,0)[1](1,10)[1 2](1,20)[1 2 3](1,30)[1 2 4](1,40)[1 3](1,31)");
	assert_int_equal(stmlog_profile_nodes(profile), 5);
}

TEST_WITH(walker_fixture, a_function_that_calls_itself_is_one_path)
{
	walk(walker, "12223");
	expect_profile(profile, "[](1,0)[1](1,10)[1 2](3,60)[1 2 3](1,30)");
}

TEST_WITH(walker_fixture, a_function_that_tail_calls_itself_is_one_path)
{
	walk_sites(walker, "12223", true);
	expect_profile(profile, "[](1,0)[1](1,10)[1 2](3,60)[1 2 3](1,30)");
}

TEST_WITH(walker_fixture, functions_that_call_each_other_are_folded)
{
	walk(walker, "123234");
	expect_profile(profile, "[](1,0)[1](1,10)[1 2](1,20)[1 2 3](2,60)[1 2 3 2](1,20)[1 2 3 4](1,40)");
}

TEST_WITH(walker_fixture, paths_on_the_way_keep_their_nodes)
{
	walk(walker, "12123");
	expect_profile(profile, "[](1,0)[1](1,10)[1 2](2,40)[1 2 1](1,10)[1 2 3](1,30)");
}

TEST_WITH(walker_fixture, children_come_in_the_order_of_their_sites)
{
	walk(walker, "14<3<5<2<6<1<1<2<3<4<5<6<");
	expect_profile(profile, "[](1,0)[1](3,30)[1 2](2,40)[1 3](2,60)[1 4](2,80)[1 5](2,100)[1 6](2,120)");
}

/* A site may be any number but two; of many children each is told once and in order, also the second time. */
struct order {
	uint32_t before;
	size_t len;
};

static void expect_ascending(const struct stmlog_profile_path *path, void *arg)
{
	struct order *order = arg;
	if (path->len == 0)
		return;
	assert_true(order->len == 0 || path->sites[0] > order->before);
	order->before = path->sites[0];
	order->len++;
}

TEST_WITH(walker_fixture, many_children_come_in_the_order_of_their_sites)
{
	for (uint32_t count = 0; count <= 300; count += count < 10 ? 1 : 29) {
		struct random random = {count};
		OWNED(stmlog_profile_destroy) struct stmlog_profile *wide = stmlog_profile_create(300, 1);
		OWNED(stmlog_walker_destroy) struct stmlog_walker *over = stmlog_walker_create(wide);
		for (uint32_t i = 0; i < count; i++) {
			stmlog_walker_enter(over, (uint32_t)(random_next(&random) >> 33));
			stmlog_walker_exit(over);
		}
		for (int again = 0; again < 2; again++) {
			struct order order = {0, 0};
			stmlog_profile_query(wide, expect_ascending, &order);
			assert_int_equal(order.len, stmlog_profile_nodes(wide));
			assert_int_equal(order.len, count);
		}
	}
}

TEST_WITH(walker_fixture, calls_are_summed_over_the_paths_that_end_so)
{
	walk(walker, "12<<3 2<2<<2 1");
	assert_int_equal(stmlog_profile_calls(profile, 1), 2);
	assert_int_equal(stmlog_profile_calls(profile, 2), 4);
	assert_int_equal(stmlog_profile_calls(profile, 3), 1);
	assert_int_equal(stmlog_profile_calls(profile, 4), 0);
	assert_int_equal(stmlog_profile_calls(profile, STMLOG_SITE_ROOT), 1);
	assert_int_equal(stmlog_profile_calls_from(profile, 3, 2), 2);
	assert_int_equal(stmlog_profile_calls_from(profile, 1, 2), 1);
	assert_int_equal(stmlog_profile_calls_from(profile, 2, 1), 1);
	assert_int_equal(stmlog_profile_calls_from(profile, 1, 3), 0);
	assert_int_equal(stmlog_profile_calls_from(profile, STMLOG_SITE_ROOT, 2), 1);
	assert_int_equal(stmlog_profile_calls_from(profile, STMLOG_SITE_ROOT, STMLOG_SITE_ROOT), 0);
}

TEST_WITH(walker_fixture, calls_of_the_overflow_have_no_caller)
{
	OWNED(stmlog_profile_destroy) struct stmlog_profile *small = stmlog_profile_create(1, 1);
	OWNED(stmlog_walker_destroy) struct stmlog_walker *in = stmlog_walker_create(small);
	walk(in, "123");
	assert_int_equal(stmlog_profile_calls(small, 1), 1);
	assert_int_equal(stmlog_profile_calls(small, 2), 0);
	assert_int_equal(stmlog_profile_calls(small, STMLOG_SITE_OVERFLOW), 2);
	assert_int_equal(stmlog_profile_calls_from(small, STMLOG_SITE_ROOT, STMLOG_SITE_OVERFLOW), 0);
	assert_int_equal(stmlog_profile_calls_from(small, STMLOG_SITE_OVERFLOW, STMLOG_SITE_OVERFLOW), 0);
}

/* ---- ways back ---- */

/* "[1 2]:1,2": each path with ways back, and the lengths of the prefixes to which they lead. */
static void print_ways(const struct stmlog_profile_path *path, void *arg)
{
	for (size_t i = 0; i < path->len && path->back_count > 0; i++)
		fprintf(arg, "%s%u", i > 0 ? " " : "[", path->sites[i]);
	for (size_t i = 0; i < path->back_count; i++)
		fprintf(arg, "%s%u", i > 0 ? "," : "]:", path->back[i]);
}

static char *ways_text(const struct stmlog_profile *of)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	stmlog_profile_query(of, print_ways, out);
	fclose(out);
	return text;
}

static void expect_ways(const struct stmlog_profile *of, const char *expected)
{
	OWNED(owned_free) char *text = ways_text(of);
	assert_string_equal(text, expected);
}

TEST_WITH(walker_fixture, a_path_without_repetition_has_no_way_back)
{
	expect_ways(profile, "");
	walk(walker, "123<4<<3");
	expect_ways(profile, "");
}

TEST_WITH(walker_fixture, a_function_that_calls_itself_has_a_way_back_to_itself)
{
	walk(walker, "12223");
	expect_ways(profile, "[1 2]:2");
}

TEST_WITH(walker_fixture, ways_lead_back_to_prefixes_from_where_the_repetition_was_complete)
{
	walk(walker, "123234");
	expect_ways(profile, "[1 2 3 2]:3");
	walk(walker, "<<2<<3");
	expect_ways(profile, "[1 2 3]:3[1 2 3 2]:3,4");
}

/* Entering the last site of the prefix leads to the prefix. */
static void expect_way_by_model(const struct stmlog_profile_path *path, void *arg)
{
	size_t *count = arg;
	for (size_t i = 0; i < path->back_count; i++) {
		struct word word = {.len = path->len};
		memcpy(word.sites, path->sites, path->len * sizeof *path->sites);
		model_enter(&word, path->sites[path->back[i] - 1]);
		assert_int_equal(word.len, path->back[i]);
		assert_memory_equal(word.sites, path->sites, word.len * sizeof *word.sites);
	}
	*count += path->back_count;
}

TEST_WITH(walker_fixture, ways_are_the_steps_that_the_model_folds)
{
	struct random random = {5};
	for (uint32_t i = 0; i < stress_times(1000); i++) {
		OWNED(stmlog_profile_destroy) struct stmlog_profile *random_walk = stmlog_profile_create(400, 64);
		OWNED(stmlog_walker_destroy) struct stmlog_walker *in = stmlog_walker_create(random_walk);
		struct word word = {.len = 0};
		size_t found = 0, steps_back = 0;
		for (size_t n = random_below(&random, 40); n > 0; n--) {
			size_t before = word.len;
			uint32_t site = random_below(&random, 3);
			model_enter(&word, site);
			stmlog_walker_enter(in, site);
			steps_back += word.len <= before;
		}
		stmlog_profile_query(random_walk, expect_way_by_model, &found);
		assert_true(found <= steps_back && (found > 0) == (steps_back > 0));
	}
}

TEST_WITH(walker_fixture, ways_to_the_overflow_are_not_told)
{
	OWNED(stmlog_profile_destroy) struct stmlog_profile *small = stmlog_profile_create(2, 1);
	OWNED(stmlog_walker_destroy) struct stmlog_walker *in = stmlog_walker_create(small);
	walk(in, "12<<1 1");
	expect_ways(small, "[1]:1");
}

/* ---- one into another ---- */

static void step_at_random(struct stmlog_walker *one, struct stmlog_walker *same, size_t *depth, struct random *random)
{
	uint32_t site = random_below(random, 4), kind = random_below(random, 4);
	struct stmlog_walker *both[] = {one, same};
	for (size_t i = 0; i < 2; i++) {
		if (kind == 0 && *depth > 0)
			stmlog_walker_exit(both[i]);
		else if (kind == 1 && *depth > 0)
			stmlog_walker_replace(both[i], site);
		else
			stmlog_walker_enter(both[i], site);
		stmlog_walker_add(both[i], STMLOG_WEIGHT_OWN, site + 1);
	}
	*depth += kind == 0 && *depth > 0 ? SIZE_MAX : kind == 1 && *depth > 0 ? 0 : 1;
}

/* Two that walk in profiles of their own, and the same two in one. */
struct walk_of_two {
	struct stmlog_profile *own[2];
	struct stmlog_profile *shared;
};

static struct walk_of_two walk_two(struct random *random)
{
	struct walk_of_two walks = {.shared = stmlog_profile_create(400, 64)};
	struct stmlog_walker *one[2], *same[2];
	size_t depth[2] = {0, 0};
	for (size_t i = 0; i < 2; i++) {
		walks.own[i] = stmlog_profile_create(200, 64);
		one[i] = stmlog_walker_create(walks.own[i]);
		same[i] = stmlog_walker_create(walks.shared);
	}
	for (size_t n = random_below(random, 100); n > 0; n--) {
		size_t who = random_below(random, 2);
		step_at_random(one[who], same[who], &depth[who], random);
	}
	for (size_t i = 0; i < 2; i++) {
		stmlog_walker_destroy(&one[i]);
		stmlog_walker_destroy(&same[i]);
	}
	return walks;
}

TEST_WITH(walker_fixture, merging_is_walking_in_one)
{
	struct random random = {9};
	for (uint32_t i = 0; i < stress_times(2000); i++) {
		struct walk_of_two walks = walk_two(&random);
		char *expected = profile_text(walks.shared), *ways = ways_text(walks.shared);
		struct stmlog_profile *merged = stmlog_profile_create(400, 64);
		stmlog_profile_merge(merged, walks.own[0]);
		stmlog_profile_merge(walks.own[0], walks.own[1]);
		stmlog_profile_merge(merged, walks.own[1]);
		expect_profile(walks.own[0], expected);
		expect_profile(merged, expected);
		expect_ways(merged, ways);
		assert_int_equal(stmlog_profile_nodes(merged), stmlog_profile_nodes(walks.shared));
		free(expected);
		free(ways);
		stmlog_profile_destroy(&merged);
		stmlog_profile_destroy(&walks.own[0]);
		stmlog_profile_destroy(&walks.own[1]);
		stmlog_profile_destroy(&walks.shared);
	}
}

TEST_WITH(walker_fixture, merging_into_less_room_keeps_the_sums)
{
	walk(walker, "123<4<<3");
	OWNED(stmlog_profile_destroy)
	struct stmlog_profile *small = stmlog_profile_create(2, 2), *shallow = stmlog_profile_create(9, 1);
	stmlog_profile_merge(small, profile);
	expect_profile(small, "[](1,0)[1](1,10)[1 2](1,20)[beyond](3,100)");
	stmlog_profile_merge(shallow, profile);
	expect_profile(shallow, "[](1,0)[1](1,10)[beyond](4,120)");
	stmlog_profile_merge(shallow, small);
	expect_profile(shallow, "[](2,0)[1](2,20)[beyond](8,240)");
	assert_int_equal(stmlog_profile_overflowed(shallow), 8);
}

TEST_WITH(walker_fixture, merging_a_profile_into_itself_doubles_it)
{
	walk(walker, "1213<2");
	stmlog_profile_merge(profile, profile);
	expect_profile(profile, "[](2,0)[1](2,20)[1 2](4,80)[1 2 1](2,20)[1 2 1 3](2,60)");
}

/* A walker that stands there goes on as before. */
TEST_WITH(walker_fixture, a_walker_goes_on_behind_a_query_and_a_merge)
{
	OWNED(stmlog_profile_destroy) struct stmlog_profile *other = stmlog_profile_create(8, 8);
	walk(walker, "13<2");
	stmlog_profile_merge(other, profile);
	stmlog_profile_merge(profile, other);
	walk(walker, "2<<1");
	expect_profile(profile, "[](2,0)[1](3,30)[1 2](3,60)[1 3](2,60)");
}
