/* SPDX-License-Identifier: MIT
 * How a profile grows: the rule against a model of it, step by step; and how children are found. */
#include "profile.h"

#include "profile_model.h"
#include "profile_text.h"
#include "random.h"
#include "stress.h"

/* ---- the rule ---- */

/* Enters them, and compares after each; then goes back, and compares again. */
static void check_word(struct stmlog_profile *profile, const uint32_t *sites, size_t len)
{
	OWNED(stmlog_walker_destroy) struct stmlog_walker *walker = stmlog_walker_create(profile);
	struct word after[LONGEST + 1] = {{.len = 0}};
	for (size_t i = 0; i < len; i++) {
		after[i + 1] = after[i];
		model_enter(&after[i + 1], sites[i]);
		stmlog_walker_enter(walker, sites[i]);
		expect_path(walker, after[i + 1].sites, after[i + 1].len);
	}
	for (size_t i = len; i-- > 0;) {
		stmlog_walker_exit(walker);
		expect_path(walker, after[i].sites, after[i].len);
	}
}

/* Each in a profile of its own, and all in one that knows more and more steps. */
static void check_every_word(uint32_t alphabet, size_t len)
{
	uint32_t count = 1, sites[LONGEST];
	for (size_t i = 0; i < len; i++)
		count *= alphabet;
	OWNED(stmlog_profile_destroy) struct stmlog_profile *shared = stmlog_profile_create(len * count, len);
	uint32_t stride = count / stress_times(count);
	for (uint32_t word = 0; word < count; word += stride) {
		for (uint32_t i = 0, rest = word; i < len; i++, rest /= alphabet)
			sites[i] = rest % alphabet;
		OWNED(stmlog_profile_destroy) struct stmlog_profile *own = stmlog_profile_create(len, len);
		check_word(own, sites, len);
		check_word(shared, sites, len);
	}
}

TEST_WITH(no_leaks, every_word_of_three_sites_is_folded_as_the_rule_says)
{
	for (size_t len = 1; len <= 8; len++)
		check_every_word(3, len);
}

TEST_WITH(no_leaks, every_word_of_four_sites_is_folded_as_the_rule_says)
{
	for (size_t len = 1; len <= 6; len++)
		check_every_word(4, len);
}

enum { RANDOM_WORDS = 100000, RANDOM_BATCH = 100 };

TEST_WITH(no_leaks, long_words_are_folded_as_the_rule_says)
{
	struct random random = {6};
	uint32_t sites[LONGEST], batches = stress_times(RANDOM_WORDS) / RANDOM_BATCH + 1;
	for (uint32_t i = 0; i < batches; i++) {
		OWNED(stmlog_profile_destroy)
		struct stmlog_profile *profile = stmlog_profile_create(RANDOM_BATCH * LONGEST, LONGEST);
		for (uint32_t k = 0; k < RANDOM_BATCH; k++) {
			size_t len = random_below(&random, LONGEST + 1);
			for (size_t n = 0; n < len; n++)
				sites[n] = random_below(&random, 5);
			check_word(profile, sites, len);
		}
		assert_int_equal(stmlog_profile_overflowed(profile), 0);
	}
}

/* The path after each step, by letters. */
static void expect_folding(const char *entered, const char *paths)
{
	OWNED(stmlog_profile_destroy) struct stmlog_profile *profile = stmlog_profile_create(64, 64);
	OWNED(stmlog_walker_destroy) struct stmlog_walker *walker = stmlog_walker_create(profile);
	char text[256] = "";
	for (const char *at = entered; *at != '\0'; at++) {
		uint32_t sites[64];
		stmlog_walker_enter(walker, (uint32_t)*at);
		size_t len = stmlog_walker_path(walker, sites, 64), used = strlen(text);
		assert_true(used + len + 2 < sizeof text);
		if (at != entered)
			text[used++] = ' ';
		for (size_t i = 0; i < len; i++)
			text[used++] = (char)sites[i];
		text[used] = '\0';
	}
	assert_string_equal(text, paths);
}

TEST_WITH(no_leaks, repetition_is_folded_from_left_to_right)
{
	expect_folding("aab", "a a ab");
	expect_folding("abab", "a ab aba ab");
	expect_folding("ababc", "a ab aba ab abc");
	expect_folding("abcccdedef", "a ab abc abc abc abcd abcde abcded abcde abcdef");
	expect_folding("aba", "a ab aba");
	expect_folding("abcab", "a ab abc abca abcab");
	expect_folding("abbabb", "a ab ab aba ab ab");
	expect_folding("aabaab", "a a ab aba aba ab");
	expect_folding("abcdcdab", "a ab abc abcd abcdc abcd abcda abcdab");
	expect_folding("abcdcdabcd", "a ab abc abcd abcdc abcd abcda abcdab abcdabc abcd");
	expect_folding("abcbabcbc", "a ab abc abcb abcba abcbab abcbabc abcb abc");
}

/* ---- many children ---- */

enum { CHILDREN = 10000 };

static size_t probes_of(const struct stmlog_profile *profile, uint32_t from, uint32_t site)
{
	struct index_cursor cursor = index_find(&profile->edges, profile_edge_hash(from, site));
	uint32_t before = cursor.at, to;
	assert_true(index_next(&cursor, &to));
	assert_int_equal(profile->nodes[to].site, site);
	return (cursor.at - before) & (profile->edges.size - 1);
}

/* Without the lists of children. */
static uint64_t calls_of_nodes_met_twice(const struct stmlog_profile *profile)
{
	uint64_t calls = 0;
	for (uint32_t i = PROFILE_FIRST; i < profile->node_end; i++)
		calls += profile->nodes[i].calls == 2 ? 2 : 0;
	return calls;
}

/* With the list of children cut, only the index is left to find them by; and it takes a few probes for each. */
static void check_many_children(uint32_t spread)
{
	OWNED(stmlog_profile_destroy) struct stmlog_profile *profile = stmlog_profile_create(CHILDREN, 2);
	OWNED(stmlog_walker_destroy) struct stmlog_walker *walker = stmlog_walker_create(profile);
	for (uint32_t turn = 0; turn < 2; turn++) {
		for (uint32_t i = 0; i < CHILDREN; i++) {
			stmlog_walker_enter(walker, i * spread);
			expect_path(walker, &(uint32_t){i * spread}, 1);
			stmlog_walker_exit(walker);
		}
		profile->nodes[PROFILE_ROOT].first_child = 0;
	}
	size_t probes = 0;
	for (uint32_t i = 0; i < CHILDREN; i++)
		probes += probes_of(profile, PROFILE_ROOT, i * spread);
	assert_int_equal(stmlog_profile_nodes(profile), CHILDREN);
	assert_int_equal(calls_of_nodes_met_twice(profile), 2 * CHILDREN);
	assert_in_range(probes, CHILDREN, 3 * CHILDREN);
}

TEST_WITH(no_leaks, ten_thousand_children_are_found_in_a_few_probes_each)
{
	check_many_children(1);
	check_many_children(4096);
	check_many_children(3 * 65536);
}

/* ---- ways back ---- */

/* As many are kept as there may be nodes; one that is not is found again each time. */
TEST_WITH(no_leaks, ways_back_are_kept_as_far_as_there_is_room)
{
	OWNED(stmlog_profile_destroy) struct stmlog_profile *profile = stmlog_profile_create(3, 2);
	OWNED(stmlog_walker_destroy) struct stmlog_walker *walker = stmlog_walker_create(profile);
	walk(walker, "11<<22<<");
	assert_int_equal(profile->way_count, 2);
	walk(walker, "11<<22<<");
	assert_int_equal(profile->way_count, 2);
	walk(walker, "12");
	assert_int_equal(profile->way_count, 2);
	walk(walker, "1<2");
	assert_int_equal(profile->way_count, 3);
	walk(walker, "<<<3<11");
	assert_int_equal(profile->way_count, 3);
	expect_path(walker, (const uint32_t[]){1}, 1);
	expect_profile(profile, "[](1,0)[1](7,70)[1 2](2,40)[2](4,80)[beyond](2,40)");
	assert_int_equal(probes_of(profile, PROFILE_FIRST, 1), 1);
}
