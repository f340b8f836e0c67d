/* SPDX-License-Identifier: MIT */
#include "merged.h"

static const char *mismatch_of(const char *path, const char *other)
{
	OWNED(merge_fini) struct merge merge;
	struct recording recording;
	merge_init(&merge);
	assert_int_equal(recording_load(&recording, path), RECORDING_WHOLE);
	assert_null(merge_add(&merge, &recording));
	recording_fini(&recording);
	assert_int_equal(recording_load(&recording, other), RECORDING_WHOLE);
	const char *mismatch = merge_add(&merge, &recording);
	recording_fini(&recording);
	return mismatch;
}

TEST(what_is_of_something_else_is_refused)
{
	static const struct {
		const char *line, *words;
	} cases[] = {{"program=/usr/bin/queue", "program"}, {"runtime=smallstm", "runtime"}, {"clock=custom", "clock"},
		{"commits_known=0", "times"}};
	struct names n = names_in();
	save_sample(n.name[0], NULL);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		save_sample(n.name[1], cases[i].line);
		const char *mismatch = mismatch_of(n.name[0], n.name[1]);
		assert_non_null(mismatch);
		assert_non_null(strstr(mismatch, cases[i].words));
	}
	save_sample(n.name[1], "clock=tsc");
	assert_null(mismatch_of(n.name[0], n.name[1]));
	save_sample(n.name[1], "program=/elsewhere/bank");
	assert_null(mismatch_of(n.name[0], n.name[1]));
}

TEST(sums_that_64_bits_cannot_hold_are_refused)
{
	struct names n = names_in();
	for (uint64_t commits = UINT64_C(1) << 62; commits != 0; commits <<= 1) {
		OWNED(writer_fini) struct writer writer;
		recording_sample(&writer);
		writer_thread(&writer, &(struct stmlog_thread_record){.id = 99, .commits = commits});
		writer_save(&writer, n.name[0]);
		const char *mismatch = mismatch_of(n.name[0], n.name[0]);
		assert_int_equal(mismatch != NULL, commits >> 63);
	}
}

TEST(what_only_some_have_is_left_out)
{
	struct names n = names_in();
	OWNED(recording_fini) struct recording merged;
	struct writer writer;
	save_sample(n.name[0], NULL);
	recording_sample(&writer);
	writer_info(&writer, "pid=12");
	writer_info(&writer, "arg=--more");
	writer_info(&writer, "option=top");
	writer_info(&writer, "value=3");
	writer_path(&writer, &(struct stmlog_path_record){.commits = 61234});
	writer_save(&writer, n.name[1]);
	writer_fini(&writer);
	MERGE(n.name[2], n.name[0], n.name[1]);
	assert_int_equal(recording_load(&merged, n.name[2]), RECORDING_WHOLE);
	assert_int_equal(merged.info.pid, 0);
	assert_int_equal(merged.info.args.len, 0);
	assert_int_equal(merged.info.options.len, 2);
	assert_string_equal(merged.info.options.at[0], "depth");
	assert_string_equal(merged.info.options.at[1], "9");
	assert_int_equal(merged.path_count, 0);
}

/* Loads two samples merged, each with another line. */
static void load_merged_lines(struct recording *merged, const char *line, const char *other)
{
	struct names n = names_in();
	save_sample(n.name[0], line);
	save_sample(n.name[1], other);
	MERGE(n.name[2], n.name[0], n.name[1]);
	assert_int_equal(recording_load(merged, n.name[2]), RECORDING_WHOLE);
}

TEST(a_method_is_that_of_all)
{
	static const struct {
		const char *line, *other, *method;
	} cases[] = {{"method=htm", "method=htm", "htm"}, {"method=htm", "method=ml_wt", "mixed"},
		{"method=htm", NULL, ""}, {NULL, "method=htm", ""}, {NULL, NULL, ""},
		{"method=mixed", "method=htm", "mixed"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		OWNED(recording_fini) struct recording merged;
		load_merged_lines(&merged, cases[i].line, cases[i].other);
		assert_string_equal(merged.info.method, cases[i].method);
	}
}

TEST(processors_are_a_number_only_where_all_have_it)
{
	struct recording merged;
	load_merged_lines(&merged, "processors=4", "processors=4");
	assert_int_equal(merged.info.processors, 4);
	recording_fini(&merged);
	load_merged_lines(&merged, "processors=4", "processors=2");
	assert_int_equal(merged.info.processors, 0);
	recording_fini(&merged);
}

TEST(hardware_counts_add_up_over_those_that_have_them)
{
	struct names n = names_in();
	struct recording merged;
	struct writer writer;
	recording_sample_hardware(&writer);
	writer_save(&writer, n.name[0]);
	writer_fini(&writer);
	save_sample(n.name[1], NULL);
	MERGE(n.name[2], n.name[1], n.name[0], n.name[1], n.name[0]);
	assert_right(n.name[2]);
	assert_int_equal(recording_load(&merged, n.name[2]), RECORDING_WHOLE);
	assert_int_equal(merged.info.hardware_commits, 2 * 60622);
	assert_int_equal(merged.info.hardware_fallbacks, 1224);
	recording_fini(&merged);
	MERGE(n.name[2], n.name[1], n.name[1]);
	assert_int_equal(recording_load(&merged, n.name[2]), RECORDING_WHOLE);
	assert_true(merged.info.hardware_commits == RECORDING_UNSAID);
	recording_fini(&merged);
}

TEST(sampled_runs_add_up_too)
{
	struct names n = names_in();
	struct writer writer;
	OWNED(recording_fini) struct recording merged;
	recording_sample_weighed(&writer);
	writer_save(&writer, n.name[0]);
	writer_fini(&writer);
	save_sample(n.name[1], NULL);
	MERGE(n.name[2], n.name[0], n.name[1], n.name[0]);
	assert_right(n.name[2]);
	assert_int_equal(recording_load(&merged, n.name[2]), RECORDING_WHOLE);
	assert_int_equal(merged.info.runs, 3);
	assert_int_equal(merged.info.on_phases, 80);
	assert_int_equal(merged.info.timed_commits, 2 * 122468);
	assert_true(recording_is_sampled(&merged));
}

GROUP_WITH(temp_dir_fixture);
