/* SPDX-License-Identifier: MIT
 * Regions of two sides of runs with given work and times: which tags are slower, which cannot be compared, and what
 * each format says of them. */
#include "made_sides.h"

#include <math.h>

#include "capture_stderr.h"
#include "diff_words.h"
#include "json_value.h"
#include "timeline_text.h"

/* The regions of a run, as lines of timeline_text() with a %u for the time of their end; NULL: no timeline. */
struct side_text {
	const char *text;
	unsigned end_ns;
};

static void save_run(const struct side_text *made, size_t number, const char *path)
{
	OWNED(writer_fini) struct writer writer;
	char text[1024];
	unsigned end_ns = made->end_ns + (unsigned)number; /* runs differ a little */
	snprintf(text, sizeof text, made->text, end_ns, end_ns, end_ns);
	timeline_text(&writer, 1, text);
	writer_info(&writer, "wall_ns=2000000000");
	writer_save(&writer, path);
}

static void sides_of(const struct side_text sides[2], size_t old, size_t new)
{
	diff_begin(&usual, old, new);
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < (side == DIFF_OLD ? old : new); i++) {
			save_run(&sides[side], i, temp_dir_path("run"));
			load_saved(side);
		}
	}
	assert_true(diff_compare(&diff));
}

static void ten_each(const struct side_text *old, const struct side_text *new)
{
	const struct side_text sides[2] = {*old, *new};
	sides_of(sides, RUNS, RUNS);
}

static const struct diff_region *region_of(const char *tag)
{
	for (size_t i = 0; i < diff.regions_len; i++)
		if (strcmp(diff.regions[i]->tag, tag) == 0)
			return diff.regions[i];
	fail_msg("there is no region %s", tag);
	return NULL;
}

static void expect_verdict(const char *tag, enum diff_metric metric, enum diff_verdict verdict)
{
	const struct diff_region *region = region_of(tag);
	assert_int_equal(region->judged.metric, metric);
	assert_int_equal(region->judged.verdict, verdict);
}

/* Lines of a run with one region of so much work. */
#define SORT(work) "0 1 region-begin " #work " sort\n%u 1 region-end\n"
static const struct side_text fast = {SORT(600), 1000}, slow = {SORT(600), 2000}, twice = {SORT(1200), 2009};
static const struct side_text wordless = {SORT(0), 1000};

TEST(runs_without_regions_have_none_to_compare)
{
	static const struct side_text none = {"5 1 mark 1 here\n", 0};
	ten_each(&none, &none);
	assert_int_equal(diff.regions_len, 0);
	OWNED(owned_free) char *text = printed(diff_text);
	assert_has_not(text, "Regions");
}

TEST(a_tag_of_less_work_per_second_is_a_regression)
{
	ten_each(&fast, &slow);
	expect_verdict("sort", DIFF_SPEED, DIFF_WORSE);
	assert_int_equal(diff.worse, 1);
	assert_true(fabs(region_of("sort")->judged.median[DIFF_OLD].value - 6e11 / 1004.5) < 1e5);
	expect_printed("\nRegions: 1 tag, medians of the runs\n");
	expect_printed("  p 1e-05  WORSE sort: work per second work 600 -> 600, time 1.0 us -> 2.0 us\n");
	expect_printed("\nregression: region sort, work per second: 597,");
}

TEST(a_tag_of_more_work_per_second_is_better)
{
	ten_each(&slow, &fast);
	expect_verdict("sort", DIFF_SPEED, DIFF_BETTER);
	assert_int_equal(diff.worse, 0);
	expect_printed("no regression\n");
}

TEST(a_longer_run_at_the_same_speed_is_unclear)
{
	ten_each(&fast, &twice);
	const struct diff_region *region = region_of("sort");
	expect_verdict("sort", DIFF_SPEED, region->judged.p <= 0.05 ? DIFF_LITTLE : DIFF_UNCLEAR);
	assert_true(region->work.median[DIFF_NEW].value == 1200);
	assert_true(region->time.median[DIFF_NEW].value > 2000);
	assert_int_equal(diff.worse, 0);
}

TEST(a_change_within_the_threshold_is_no_regression)
{
	static const struct side_text little = {SORT(600), 1050};
	ten_each(&fast, &little);
	expect_verdict("sort", DIFF_SPEED, DIFF_LITTLE);
	assert_int_equal(diff.worse, 0);
}

/* The new side has the same time for one call, and more regions within it. */
TEST(without_work_the_time_of_each_outermost_region_is_compared)
{
	static const struct side_text deeper = {"0 1 region-begin 0 sort\n10 1 region-begin 0 sort\n20 1 region-end\n"
						"%u 1 region-end\n",
		1000};
	static const struct side_text two = {
		"0 1 region-begin 0 sort\n%u 1 region-end\n4000 1 region-begin 0 sort\n7000 1 region-end\n", 3000};
	ten_each(&wordless, &deeper);
	expect_verdict("sort", DIFF_EACH, DIFF_UNCLEAR);
	ten_each(&wordless, &two);
	expect_verdict("sort", DIFF_EACH, DIFF_WORSE);
	assert_true(fabs(region_of("sort")->judged.median[DIFF_NEW].value - 3000) < 5);
	expect_printed(" sort: time of each no work, time 1.0 us -> 6.0 us\n");
	expect_printed("regression: region sort, time of each: 1.0 us -> 3.0 us, +19");
}

TEST(a_tag_that_some_runs_lack_has_no_verdict)
{
	static const struct side_text other = {"0 1 region-begin 5 swap\n%u 1 region-end\n", 100};
	ten_each(&fast, &other);
	assert_int_equal(diff.regions_len, 2);
	assert_int_equal(diff.worse, 0);
	expect_verdict("sort", DIFF_SPEED, DIFF_UNCLEAR);
	expect_verdict("swap", DIFF_SPEED, DIFF_UNCLEAR);
	expect_printed("  vanished sort: ");
	expect_printed("  new swap: ");
	expect_printed(" cannot decide: not every run has such a region\n");
}

TEST(work_that_some_runs_only_tell_gives_no_verdict)
{
	ten_each(&fast, &wordless);
	expect_verdict("sort", DIFF_EACH, DIFF_UNCLEAR);
	assert_int_equal(diff.worse, 0);
	expect_printed(" cannot decide: some runs say how much work it was, and others do not\n");
}

TEST(one_run_a_side_decides_nothing_and_more_are_recommended)
{
	static const struct side_text sides[2] = {{SORT(600), 1000}, {SORT(600), 9000}};
	sides_of(sides, 1, 1);
	expect_verdict("sort", DIFF_SPEED, DIFF_UNCLEAR);
	expect_printed(" work 600 -> 600, time 1.0 us -> 9.0 us\n\n"
		       "cannot decide: fewer than 4 runs on a side can never reach alpha 0.05; 10 a side are");
}

/* With four runs a side the smallest p is 2/70. It is enough for a tag of nearly all the time, and not for another. */
TEST(a_tag_of_little_time_needs_more_runs)
{
	static const char both[] =
		"0 1 region-begin 9 long\n9000 1 region-end\n10000 1 region-begin 9 short\n%u 1 region-end\n";
	static const struct side_text sides[2] = {{both, 10100}, {both, 10900}};
	sides_of(sides, 4, 4);
	expect_verdict("short", DIFF_SPEED, DIFF_UNCLEAR);
	assert_string_equal(diff.regions[0]->tag, "long");
	expect_printed(" cannot decide: too few runs for a region of so little time\n");
	sides_of(sides, RUNS, RUNS);
	expect_verdict("short", DIFF_SPEED, DIFF_WORSE);
	expect_verdict("long", DIFF_SPEED, DIFF_UNCLEAR);
	assert_string_equal(diff.regions[0]->tag, "short");
}

TEST(more_tags_than_top_are_counted)
{
	static const struct side_text many = {"0 1 region-begin 9 a\n9000 1 region-end\n10000 1 region-begin 9 b\n"
					      "%u 1 region-end\n",
		20000};
	ten_each(&many, &many);
	diff.options.top = 1;
	expect_printed("\n1 more tag: --top=2\n");
}

TEST(a_timeline_that_contradicts_itself_is_left_out_and_told)
{
	static const struct side_text bad = {"1 1 task-start 7\n2 1 task-start 7\n", 0};
	diff_begin(&usual, 1, 1);
	char told[300];
	save_run(&bad, 0, temp_dir_path("run"));
	capture_stderr_begin();
	load_saved(DIFF_OLD);
	capture_stderr_end(told, sizeof told);
	assert_has(told, "/run: its regions are left out: event 2, 'task-start' of thread 1: ");
	assert_int_equal(diff.regions_len, 0);
}

/* ---- formats ---- */

static const struct side_text hostile_fast = {"0 1 region-begin 9 a<b>|`&\"*\n%u 1 region-end\n", 1000};
static const struct side_text hostile_slow = {"0 1 region-begin 9 a<b>|`&\"*\n%u 1 region-end\n", 2000};

TEST(markdown_has_a_table_of_tags)
{
	ten_each(&hostile_fast, &hostile_slow);
	OWNED(owned_free) char *text = printed(diff_markdown);
	assert_has(text, "### stmlog diff: 1 regression\n");
	assert_has(text, "\n| region | old | new | change | p | |\n|:---|---:|---:|---:|---:|:---|\n"
			 "| <code>a&#60;b&#62;&#124;&#96;&#38;&#34;&#42;</code><br>work per second<br>");
	assert_has(text, "| **WORSE** |\n");
}

TEST(json_has_work_time_and_verdict_of_each_tag)
{
	ten_each(&fast, &slow);
	OWNED(owned_free) char *text = printed(diff_json);
	json_auto_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const char *tag, *metric, *unit, *verdict;
	double work, old_ns, new_ns, weight;
	int is_comparable;
	assert_int_equal(
		json_unpack(json_array_get(json_object_get(object, "regions"), 0),
			"{s:s, s:s, s:s, s:s, s:b, s:f, s:{s:{s:f}}, s:{s:{s:f}, s:{s:f}}}", "tag", &tag, "metric",
			&metric, "unit", &unit, "verdict", &verdict, "is_comparable", &is_comparable, "weight", &weight,
			"work", "new", "median", &work, "time_ns", "old", "median", &old_ns, "new", "median", &new_ns),
		0);
	assert_string_equal(tag, "sort");
	assert_string_equal(metric, "speed");
	assert_string_equal(unit, "work per second");
	assert_string_equal(verdict, "worse");
	assert_true(is_comparable && weight == 1 && work == 600 && old_ns == 1004.5 && new_ns == 2004.5);
}

GROUP_WITH(diff_fixture);
