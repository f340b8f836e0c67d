/* SPDX-License-Identifier: MIT
 * What limits a profile, and what is no profile: the most nodes, the deepest path, callers' mistakes. */
#include "capture_stderr.h"
#include "mem.h"
#include "misuse.h"
#include "profile_model.h"
#include "profile_text.h"
#include "random.h"
#include "stress.h"

/* The model of a profile with limits: which words are stored. */
struct model {
	struct word stored[16];
	size_t count;
	size_t nodes;
	size_t depth;
	uint64_t overflowed;
};

static bool model_has(const struct model *model, const struct word *word)
{
	if (word->len == 0)
		return true;
	for (size_t i = 0; i < model->count; i++) {
		const struct word *stored = &model->stored[i];
		if (stored->len == word->len &&
			memcmp(stored->sites, word->sites, word->len * sizeof *word->sites) == 0)
			return true;
	}
	return false;
}

/* `is_beyond` stays once it is. */
static void model_step(struct model *model, struct word *word, bool *is_beyond, uint32_t site)
{
	if (!*is_beyond)
		model_enter(word, site);
	bool is_new = !*is_beyond && !model_has(model, word);
	*is_beyond |= is_new && (model->count == model->nodes || word->len > model->depth);
	if (is_new && !*is_beyond)
		model->stored[model->count++] = *word;
	model->overflowed += *is_beyond;
}

static void walk_with_model(struct stmlog_profile *profile, struct model *model, struct random *random)
{
	static const uint32_t beyond = STMLOG_SITE_OVERFLOW;
	OWNED(stmlog_walker_destroy) struct stmlog_walker *walker = stmlog_walker_create(profile);
	struct word word = {.len = 0};
	bool is_beyond = false;
	for (size_t i = 0; i < 12; i++) {
		uint32_t site = random_below(random, 4);
		model_step(model, &word, &is_beyond, site);
		stmlog_walker_enter(walker, site);
		expect_path(walker, is_beyond ? &beyond : word.sites, is_beyond ? 1 : word.len);
	}
	assert_int_equal(stmlog_profile_nodes(profile), model->count);
	assert_int_equal(stmlog_profile_overflowed(profile), model->overflowed);
}

/* Few nodes leave little room for ways back, too: those without are found again each time. */
TEST_WITH(no_leaks, random_walks_in_small_profiles_agree_with_a_model)
{
	struct random random = {7};
	for (uint32_t i = 0; i < stress_times(2000); i++) {
		struct model model = {.nodes = 1 + random_below(&random, 12), .depth = 1 + random_below(&random, 6)};
		OWNED(stmlog_profile_destroy)
		struct stmlog_profile *profile = stmlog_profile_create(model.nodes, model.depth);
		for (int k = 0; k < 20; k++)
			walk_with_model(profile, &model, &random);
		struct profile_sums sums = profile_sums(profile);
		assert_int_equal(sums.calls, 20 * 12);
	}
}

static void check_nodes(size_t nodes, size_t children, const char *expected)
{
	OWNED(stmlog_profile_destroy) struct stmlog_profile *profile = stmlog_profile_create(nodes, 8);
	OWNED(stmlog_walker_destroy) struct stmlog_walker *walker = stmlog_walker_create(profile);
	for (uint32_t site = 1; site <= children; site++) {
		stmlog_walker_enter(walker, site);
		stmlog_walker_add(walker, STMLOG_WEIGHT_OWN, site);
		stmlog_walker_exit(walker);
	}
	expect_profile(profile, expected);
	assert_int_equal(stmlog_profile_nodes(profile), children < nodes ? children : nodes);
	assert_int_equal(stmlog_profile_overflowed(profile), children > nodes ? children - nodes : 0);
}

TEST_WITH(no_leaks, nodes_beyond_their_max_go_to_the_overflow)
{
	check_nodes(1, 0, "[](1,0)");
	check_nodes(1, 1, "[](1,0)[1](1,1)");
	check_nodes(1, 2, "[](1,0)[1](1,1)[beyond](1,2)");
	check_nodes(3, 2, "[](1,0)[1](1,1)[2](1,2)");
	check_nodes(3, 3, "[](1,0)[1](1,1)[2](1,2)[3](1,3)");
	check_nodes(3, 4, "[](1,0)[1](1,1)[2](1,2)[3](1,3)[beyond](1,4)");
	check_nodes(3, 5, "[](1,0)[1](1,1)[2](1,2)[3](1,3)[beyond](2,9)");
}

static void check_depth(size_t depth, const char *sites, const char *expected)
{
	OWNED(stmlog_profile_destroy) struct stmlog_profile *profile = stmlog_profile_create(8, depth);
	OWNED(stmlog_walker_destroy) struct stmlog_walker *walker = stmlog_walker_create(profile);
	walk(walker, sites);
	expect_profile(profile, expected);
	for (size_t i = 0; i < strlen(sites); i++)
		stmlog_walker_exit(walker);
	expect_path(walker, NULL, 0);
}

TEST_WITH(no_leaks, paths_beyond_the_depth_go_to_the_overflow_and_come_back)
{
	check_depth(1, "1", "[](1,0)[1](1,10)");
	check_depth(1, "12", "[](1,0)[1](1,10)[beyond](1,20)");
	check_depth(3, "12", "[](1,0)[1](1,10)[1 2](1,20)");
	check_depth(3, "123", "[](1,0)[1](1,10)[1 2](1,20)[1 2 3](1,30)");
	check_depth(3, "1234", "[](1,0)[1](1,10)[1 2](1,20)[1 2 3](1,30)[beyond](1,40)");
	check_depth(3, "12341", "[](1,0)[1](1,10)[1 2](1,20)[1 2 3](1,30)[beyond](2,50)");
	/* What would be longer is not, where it is folded. */
	check_depth(3, "12323", "[](1,0)[1](1,10)[1 2](1,20)[1 2 3](1,30)[beyond](2,50)");
	check_depth(3, "1233", "[](1,0)[1](1,10)[1 2](1,20)[1 2 3](2,60)");
	check_depth(SIZE_MAX, "1212", "[](1,0)[1](1,10)[1 2](2,40)[1 2 1](1,10)");
}

TEST_WITH(no_leaks, numbers_that_cannot_be_make_no_profile)
{
	assert_null(stmlog_profile_create(0, 1));
	assert_null(stmlog_profile_create(1, 0));
	assert_null(stmlog_profile_create((1 << 20) + 1, 1));
	struct stmlog_profile *largest = stmlog_profile_create(1 << 20, SIZE_MAX);
	assert_non_null(largest);
	stmlog_profile_destroy(&largest);
	assert_null(largest);
}

/* ---- mistakes ---- */

TEST_WITH(no_leaks, reserved_sites_lead_to_the_overflow_and_are_mistakes)
{
	static const uint32_t beyond = STMLOG_SITE_OVERFLOW;
	char told[200];
	OWNED(stmlog_profile_destroy) struct stmlog_profile *profile = stmlog_profile_create(4, 4);
	OWNED(stmlog_walker_destroy) struct stmlog_walker *walker = stmlog_walker_create(profile);
	size_t before = misuse_total();
	capture_stderr_begin();
	stmlog_walker_enter(walker, STMLOG_SITE_ROOT);
	expect_path(walker, &beyond, 1);
	stmlog_walker_exit(walker);
	stmlog_walker_enter(walker, STMLOG_SITE_OVERFLOW);
	stmlog_walker_exit(walker);
	capture_stderr_end(told, sizeof told);
	assert_int_equal(misuse_total() - before, 2);
	expect_profile(profile, "[](1,0)[beyond](2,0)");
	stmlog_walker_enter(walker, STMLOG_SITE_OVERFLOW - 1);
	assert_int_equal(stmlog_profile_nodes(profile), 1);
}

TEST_WITH(no_leaks, a_profile_with_walkers_is_not_destroyed)
{
	char told[200];
	struct stmlog_profile *profile = stmlog_profile_create(4, 4);
	struct stmlog_walker *walker = stmlog_walker_create(profile);
	size_t before = misuse_total();
	capture_stderr_begin();
	stmlog_profile_destroy(&profile);
	capture_stderr_end(told, sizeof told);
	assert_int_equal(misuse_total() - before, 1);
	assert_non_null(profile);
	stmlog_walker_destroy(&walker);
	stmlog_profile_destroy(&profile);
	assert_null(profile);
	stmlog_profile_destroy(&profile);
	stmlog_profile_destroy(NULL);
}

static void expect_no_path(const struct stmlog_profile_path *path, void *arg)
{
	(void)path, (void)arg;
	fail();
}

TEST_WITH(no_leaks, no_profile_is_allowed_everywhere)
{
	OWNED(stmlog_profile_destroy) struct stmlog_profile *profile = stmlog_profile_create(4, 4);
	size_t before = misuse_total();
	stmlog_profile_query(NULL, expect_no_path, NULL);
	stmlog_profile_query(profile, NULL, NULL);
	assert_int_equal(stmlog_profile_calls(NULL, 1), 0);
	assert_int_equal(stmlog_profile_calls_from(NULL, 1, 2), 0);
	assert_int_equal(stmlog_profile_nodes(NULL), 0);
	assert_int_equal(stmlog_profile_overflowed(NULL), 0);
	stmlog_profile_merge(NULL, NULL);
	stmlog_profile_merge(NULL, profile);
	stmlog_profile_merge(profile, NULL);
	expect_profile(profile, "[](0,0)");
	assert_null(stmlog_walker_create(NULL));
	assert_int_equal(misuse_total(), before);
}

TEST_WITH(no_leaks, without_memory_there_is_no_profile)
{
	mem_fail_at(1);
	assert_null(stmlog_profile_create(4, 4));
}
