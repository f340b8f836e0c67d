/* SPDX-License-Identifier: MIT */
#include "merged.h"

static const char *mismatch_of(const char *path, const char *other)
{
	struct merge merge;
	struct recording recording;
	merge_init(&merge);
	assert_int_equal(recording_load(&recording, path), RECORDING_WHOLE);
	assert_null(merge_add(&merge, &recording));
	recording_fini(&recording);
	assert_int_equal(recording_load(&recording, other), RECORDING_WHOLE);
	const char *mismatch = merge_add(&merge, &recording);
	recording_fini(&recording);
	merge_fini(&merge);
	return mismatch;
}

static void what_is_of_something_else_is_refused(void **state)
{
	static const struct {
		const char *line, *words;
	} cases[] = {{"program=/usr/bin/queue", "program"}, {"runtime=smallstm", "runtime"}, {"clock=tsc", "clock"},
		{"passive=1", "passive"}};
	struct names n = names_in(state);
	save_sample(n.name[0], NULL);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		save_sample(n.name[1], cases[i].line);
		const char *mismatch = mismatch_of(n.name[0], n.name[1]);
		assert_non_null(mismatch);
		assert_non_null(strstr(mismatch, cases[i].words));
	}
	save_sample(n.name[1], "program=/elsewhere/bank");
	assert_null(mismatch_of(n.name[0], n.name[1]));
}

static void what_only_some_have_is_left_out(void **state)
{
	struct names n = names_in(state);
	struct recording merged;
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
	recording_fini(&merged);
}

static void sampled_runs_add_up_too(void **state)
{
	struct names n = names_in(state);
	struct writer writer;
	struct recording merged;
	recording_sample_weighed(&writer);
	writer_save(&writer, n.name[0]);
	writer_fini(&writer);
	save_sample(n.name[1], NULL);
	MERGE(n.name[2], n.name[0], n.name[1], n.name[0]);
	assert_right(n.name[2]);
	assert_int_equal(recording_load(&merged, n.name[2]), RECORDING_WHOLE);
	assert_int_equal(merged.info.runs, 3);
	assert_int_equal(merged.info.on_phases, 80);
	assert_true(recording_is_sampled(&merged));
	recording_fini(&merged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_of_something_else_is_refused),
		cmocka_unit_test(what_only_some_have_is_left_out),
		cmocka_unit_test(sampled_runs_add_up_too),
	};
	return cmocka_run_group_tests(tests, temp_dir_setup, temp_dir_teardown);
}
