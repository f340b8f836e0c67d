/* SPDX-License-Identifier: MIT
 * Sides of runs with given figures: which differences are found, and which are not. */
#include "made_sides.h"

#include <math.h>

#include "capture_stderr.h"
#include "json_value.h"

TEST(a_place_that_loses_more_is_named_with_its_partner)
{
	static const struct made_run sides[] = {
		{1000, {100000, 500000}, 0, {0}, 0}, {1000, {150000, 500000}, 0, {0}, 0}};
	compare(&usual, sides);
	assert_int_equal(diff.len, 2);
	assert_int_equal(diff.worse, 1);
	assert_int_equal(diff.rows[0].verdict, DIFF_WORSE);
	assert_true(fabs(diff_change(&diff.rows[0]) - 0.5) < 1e-6);
	assert_int_equal(diff.rows[1].verdict, DIFF_UNCLEAR);
	expect_printed("regression: transfer bank.c:10, blocked by audit bank.c:60: self-abort, write-write: "
		       "104 ns -> 157 ns, +50.0 %, p ");
}

TEST(runs_of_different_length_are_compared_by_transaction)
{
	static const struct made_run sides[] = {{1000, {100000, 0}, 0, {0}, 0}, {3000, {300000, 0}, 0, {0}, 0}};
	compare(&usual, sides);
	assert_int_equal(diff.worse, 0);
	assert_int_equal(diff.whole.verdict, DIFF_UNCLEAR);
	assert_false(diff.is_per_second);
	assert_true(fabs(diff.whole.values[DIFF_NEW][0] - 100) < 1e-9);
	expect_printed("no regression\n");
}

TEST(without_commits_time_is_what_is_compared_by)
{
	static const struct made_run sides[] = {{1000, {100000, 0}, 0, {0}, 0}, {0, {300000, 0}, 0, {0}, 0}};
	compare(&usual, sides);
	assert_true(diff.is_per_second);
	assert_true(fabs(diff.whole.values[DIFF_NEW][0] - 150000) < 1e-6);
	assert_int_equal(diff.whole.verdict, DIFF_WORSE);
	expect_printed(": ns lost per second\n(not every run has commits)\n");
}

static void expect_needs_commits(const struct diff_options *options, const struct made_run *sides)
{
	char told[300];
	load(options, sides, 4, 4);
	capture_stderr_begin();
	assert_false(diff_compare(&diff));
	capture_stderr_end(told, sizeof told);
	assert_non_null(strstr(told, "has no commits; use --metric=aborts\n"));
}

TEST(a_rate_needs_commits)
{
	static const struct made_run sides[] = {{1000, {100000, 0}, 0, {0}, 0}, {0, {100000, 0}, 0, {0}, 0}};
	struct diff_options rate = usual;
	rate.metric = DIFF_RATE;
	expect_needs_commits(&rate, sides);
}

TEST(each_metric_sees_its_own)
{
	static const struct made_run sides[] = {{1000, {100000, 0}, 3000, {0}, 0}, {1000, {100000, 0}, 6000, {0}, 0}};
	static const double olds[] = {107.5, 0.01, 3, 10 / 1010.0, 500}, news[] = {110.5, 0.01, 6, 10 / 1010.0, 500};
	static const size_t keys[] = {2, 1, 1, 1, 0};
	for (int metric = DIFF_LOST; metric <= DIFF_THROUGHPUT; metric++) {
		struct diff_options options = usual;
		options.metric = (enum diff_metric)metric;
		compare(&options, sides);
		assert_true(fabs(diff.whole.median[DIFF_OLD].value - olds[metric]) < 1e-9);
		assert_true(fabs(diff.whole.median[DIFF_NEW].value - news[metric]) < 1e-9);
		assert_int_equal(diff.len, keys[metric]);
		assert_int_equal(diff.whole.verdict == DIFF_WORSE, metric == DIFF_PAUSED);
	}
}

/* The second pair of sides commits less in the same time, and loses nothing more for each commit. */
TEST(throughput_is_told_beside_the_loss_and_judged_as_the_metric)
{
	static const struct made_run sides[] = {{1000, {100000, 0}, 0, {0}, 0}, {800, {80000, 0}, 0, {0}, 0}};
	struct diff_options throughput = usual;
	throughput.metric = DIFF_THROUGHPUT;
	compare(&usual, sides);
	assert_true(diff.has_throughput && diff.throughput.verdict == DIFF_WORSE);
	assert_int_equal(diff.worse, 0);
	expect_printed("throughput: 500 -> 400 commits/s, -20.0 %, p 1e-05: lower\n");
	expect_printed("no regression\n");
	compare(&throughput, sides);
	assert_false(diff.has_throughput);
	assert_int_equal(diff.worse, 1);
	expect_printed("total: 500 -> 400 commits/s, -20.0 %, p 1e-05: WORSE\n");
	expect_printed("regression: total: 500 -> 400, -20.0 %, p 1e-05\n");
	const struct made_run faster[] = {sides[1], sides[0]};
	compare(&throughput, faster);
	assert_int_equal(diff.whole.verdict, DIFF_BETTER);
	assert_int_equal(diff.worse, 0);
}

TEST(without_commits_there_is_no_throughput)
{
	static const struct made_run sides[] = {{1000, {100000, 0}, 0, {0}, 0}, {0, {100000, 0}, 0, {0}, 0}};
	struct diff_options throughput = usual;
	throughput.metric = DIFF_THROUGHPUT;
	compare(&usual, sides);
	assert_false(diff.has_throughput);
	expect_needs_commits(&throughput, sides);
}

TEST(a_change_within_the_threshold_is_no_regression)
{
	static const struct made_run sides[] = {{1000, {100000, 0}, 0, {0}, 0}, {1000, {120000, 0}, 0, {0}, 0}};
	struct diff_options generous = usual;
	generous.threshold = 0.3;
	compare(&generous, sides);
	assert_int_equal(diff.whole.verdict, DIFF_LITTLE);
	assert_int_equal(diff.worse, 0);
	compare(&usual, sides);
	assert_int_equal(diff.worse, 2);
}

TEST(less_is_better)
{
	static const struct made_run sides[] = {{1000, {150000, 0}, 0, {0}, 0}, {1000, {100000, 0}, 0, {0}, 0}};
	compare(&usual, sides);
	assert_int_equal(diff.whole.verdict, DIFF_BETTER);
	assert_int_equal(diff.rows[0].verdict, DIFF_BETTER);
	assert_int_equal(diff.worse, 0);
}

/* Both keys are 0 on one side. A new key that is small compared with the whole is listed, but no regression. */
TEST(keys_come_and_go)
{
	static const struct made_run without = {1000, {500000, 0}, 0, {0}, 0},
				     small = {1000, {500000, 9000}, 0, {0}, 0},
				     large = {1000, {500000, 90000}, 0, {0}, 0};
	const struct made_run little[] = {without, small}, much[] = {without, large}, gone[] = {large, without};
	compare(&usual, little);
	assert_true(diff.rows[0].is_new && diff.rows[0].verdict == DIFF_LITTLE);
	assert_true(isinf(diff_change(&diff.rows[0])));
	compare(&usual, much);
	assert_true(diff.rows[0].is_new && diff.rows[0].verdict == DIFF_WORSE);
	assert_null(diff.rows[0].key[DIFF_OLD]);
	expect_printed("WORSE, new");
	compare(&usual, gone);
	assert_true(diff.rows[0].is_gone && diff.rows[0].verdict == DIFF_BETTER);
	expect_printed("vanished");
}

/* Of 1,000 ns the key has 5 ns, and 14 ns afterwards: it is listed. With 50 ns it is a regression. */
TEST(a_small_key_may_grow_by_a_hundredth_of_the_whole)
{
	static const struct made_run before = {1000, {1000000, 5000}, 0, {0}, 0},
				     little = {1000, {1000000, 14000}, 0, {0}, 0},
				     much = {1000, {1000000, 50000}, 0, {0}, 0};
	compare(&usual, (const struct made_run[]){before, little});
	assert_int_equal(diff.rows[0].verdict, DIFF_LITTLE);
	assert_int_equal(diff.worse, 0);
	compare(&usual, (const struct made_run[]){before, much});
	assert_int_equal(diff.rows[0].verdict, DIFF_WORSE);
	assert_int_equal(diff.worse, 1);
}

TEST(lines_shifted_by_an_edit_above_make_no_key_new)
{
	static const struct made_run sides[] = {
		{1000, {100000, 500000}, 900, {0}, 0}, {1000, {100000, 500000}, 900, {0}, 10}};
	compare(&usual, sides);
	assert_int_equal(diff.len, 3);
	for (size_t i = 0; i < diff.len; i++)
		assert_false(diff.rows[i].is_new || diff.rows[i].is_gone);
	assert_int_equal(diff.worse, 0);
}

TEST(too_few_runs_decide_nothing)
{
	static const struct made_run sides[] = {{1000, {100000, 0}, 0, {0}, 0}, {1000, {900000, 0}, 0, {0}, 0}};
	static const struct {
		size_t runs[2];
		bool is_decided;
	} rows[] = {{{1, 1}, false}, {{3, 10}, false}, {{10, 3}, false}, {{4, 4}, true}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		load(&usual, sides, rows[i].runs[0], rows[i].runs[1]);
		assert_true(diff_compare(&diff));
		assert_int_equal(diff.is_decided, rows[i].is_decided);
		assert_int_equal(diff.worse, rows[i].is_decided ? 2 : 0);
	}
}

TEST(nothing_lost_on_either_side_is_no_difference)
{
	static const struct made_run sides[] = {{1000, {0, 0}, 0, {0}, 0}, {1000, {0, 0}, 0, {0}, 0}};
	compare(&usual, sides);
	assert_int_equal(diff.len, 0);
	assert_int_equal(diff.whole.verdict, DIFF_UNCLEAR);
	expect_printed("no regression\n");
}

/* A sampled run whose losses were timed; none was measured closely. */
static void save_timed(const char *path, uint64_t lost_ns)
{
	OWNED(writer_fini) struct writer writer;
	writer_init(&writer);
	writer_info(&writer, "wall_ns=2000000000");
	writer_info(&writer, "sampled=1");
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 1,
				       .attached_ns = 1000000000,
				       .outside_ns = 1000000000,
				       .unmeasured_commits = 1000,
				       .estimated_committed_ns = 100000,
				       .estimated_aborted_ns = {lost_ns / 2},
				       .estimated_paused_ns = lost_ns / 2});
	writer_save(&writer, path);
}

TEST(what_was_only_timed_is_part_of_the_total)
{
	diff_begin(&usual, RUNS, RUNS);
	for (size_t i = 0; i < 2 * RUNS; i++) {
		save_timed(temp_dir_path("run"), i < RUNS ? 100000 : 150000);
		load_saved(i < RUNS ? DIFF_OLD : DIFF_NEW);
	}
	assert_true(diff_compare(&diff));
	assert_true(fabs(diff.whole.median[DIFF_OLD].value - 100) < 1e-9);
	assert_int_equal(diff.whole.verdict, DIFF_WORSE);
	assert_int_equal(diff.len, 0);
}

/* A sampled run whose losses were all evicted. */
static void save_evicted(const char *path, double estimated_ns)
{
	OWNED(writer_fini) struct writer writer;
	writer_init(&writer);
	writer_info(&writer, "wall_ns=2000000000");
	writer_info(&writer, "sampled=1");
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 1, .commits = 1000});
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 1, 1);
	struct stmlog_total_record *total = (void *)writer.sections[STMLOG_SECTION_TOTALS].bytes;
	total->estimated_ns = estimated_ns;
	writer_save(&writer, path);
}

TEST(estimates_of_a_damaged_file_are_numbers_from_0_on)
{
	static const double damaged_ns[] = {-1e267, NAN, INFINITY, 1e308};
	for (size_t i = 0; i < sizeof damaged_ns / sizeof damaged_ns[0]; i++) {
		diff_begin(&usual, 1, 1);
		for (int side = 0; side < 2; side++) {
			save_evicted(temp_dir_path("run"), side == DIFF_OLD ? 5000 : damaged_ns[i]);
			load_saved(side);
		}
		assert_true(diff_compare(&diff));
		assert_int_equal(diff.len, 1);
		assert_true(diff.rows[0].values[DIFF_OLD][0] > 0);
		assert_true(diff.rows[0].values[DIFF_NEW][0] >= 0);
		assert_true(isfinite(diff.rows[0].values[DIFF_NEW][0]));
		assert_true(diff.rows[0].weight > 0);
	}
}

TEST(what_makes_sides_incomparable_is_told_first)
{
	static const struct made_run sides[] = {
		{1000, {100000, 0}, 0, {"runtime=libitm", "unix_ns=9", "program=/a/bank"}, 0},
		{1000, {100000, 0}, 0, {"runtime=tinystm", "unix_ns=8", "program=/b/list"}, 0}};
	compare(&usual, sides);
	OWNED(owned_free) char *text = printed(diff_text);
	assert_int_equal(strncmp(text,
				 "note: the programs differ: OLD bank, NEW list\n"
				 "note: the runtimes differ: OLD libitm, NEW tinystm\n"
				 "note: OLD has one run twice: ",
				 126),
		0);
	assert_non_null(
		strstr(text, "note: the NEW runs were all made before the OLD ones: the sides look swapped\ntotal: "));
}

TEST(a_run_without_times_is_compared_by_its_aborts_alone)
{
	static const struct made_run made = {1000, {0, 0}, 0, {"commits_known=0"}, 0};
	const char *path = temp_dir_path("run");
	char told[300];
	diff_begin(&usual, RUNS, RUNS);
	made_run_save(&made, path);
	capture_stderr_begin();
	assert_false(diff_load(&diff, DIFF_OLD, path));
	capture_stderr_end(told, sizeof told);
	assert_non_null(strstr(told, "has no times; use --metric=aborts\n"));
	diff.options.metric = DIFF_ABORTS;
	assert_true(diff_load(&diff, DIFF_OLD, path));
}

TEST(json_has_what_the_text_has)
{
	static const struct made_run sides[] = {{1000, {100000, 0}, 0, {0}, 0}, {1000, {100000, 300000}, 0, {0}, 0}};
	compare(&usual, sides);
	OWNED(owned_free) char *text = printed(diff_json);
	json_auto_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const char *unit, *verdict, *function, *file;
	int is_decided, is_new, line, regressions;
	double old, low, p;
	assert_int_equal(
		json_unpack(json,
			"{s:s, s:b, s:i, s:{s:{s:F, s:F}}, s:[{s:s, s:b, s:F, s:n, s:{s:[{s:s, s:s, s:i}]}}]}", "unit",
			&unit, "is_decided", &is_decided, "regressions", &regressions, "total", "old", "median", &old,
			"low", &low, "keys", "verdict", &verdict, "is_new", &is_new, "p_corrected", &p, "change",
			"remote", "frames", "function", &function, "file", &file, "line", &line),
		0);
	assert_string_equal(unit, "ns lost per transaction");
	assert_true(is_decided && is_new && regressions == 2);
	assert_true(fabs(old - 104.5) < 1e-9 && fabs(low - 101) < 1e-9 && p < 0.001);
	assert_string_equal(verdict, "worse");
	assert_string_equal(function, "audit");
	assert_string_equal(file, "bank.c");
	assert_int_equal(line, 70);
}

GROUP_WITH(diff_fixture);
