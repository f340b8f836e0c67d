/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "record.h"
#include "test.h"

static void expect_step(const struct record_series *series, uint64_t index, bool is_other, const char *file)
{
	struct record_step step = record_series_step(series, index);
	assert_int_equal(step.is_other, is_other);
	assert_string_equal(step.file, file);
	free(step.file);
}

TEST(runs_of_one_program_are_numbered_to_the_width_of_the_last)
{
	struct record_series one = {.directory = "d", .runs = 1};
	assert_int_equal(record_series_steps(&one), 1);
	expect_step(&one, 0, false, "d/run-1.data");
	struct record_series nine = {.directory = "d", .runs = 9}, ten = {.directory = "d", .runs = 10};
	expect_step(&nine, 8, false, "d/run-9.data");
	expect_step(&ten, 0, false, "d/run-01.data");
	expect_step(&ten, 9, false, "d/run-10.data");
	struct record_series max = {.directory = "/a b/%s", .runs = RECORD_RUNS_MAX};
	expect_step(&max, 0, false, "/a b/%s/run-0001.data");
	expect_step(&max, RECORD_RUNS_MAX - 1, false, "/a b/%s/run-9999.data");
}

TEST(two_programs_take_turns_in_who_goes_first)
{
	struct record_series series = {.directory = "d", .runs = 3, .other = "x"};
	assert_int_equal(record_series_steps(&series), 6);
	expect_step(&series, 0, false, "d/old-1.data");
	expect_step(&series, 1, true, "d/new-1.data");
	expect_step(&series, 2, true, "d/new-2.data");
	expect_step(&series, 3, false, "d/old-2.data");
	expect_step(&series, 4, false, "d/old-3.data");
	expect_step(&series, 5, true, "d/new-3.data");
}

/* With an even number of runs, both programs have the same sum of positions. */
TEST(no_program_comes_later_than_the_other)
{
	struct record_series series = {.directory = "d", .other = "x"};
	for (series.runs = 2; series.runs <= 20; series.runs += 2) {
		int64_t later = 0;
		for (uint64_t i = 0; i < record_series_steps(&series); i++) {
			struct record_step step = record_series_step(&series, i);
			later += step.is_other ? (int64_t)i : -(int64_t)i;
			free(step.file);
		}
		assert_int_equal(later, 0);
	}
}
