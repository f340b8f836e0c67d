/* SPDX-License-Identifier: MIT
 * Values of options, and warnings on standard error. */

#include <stdlib.h>

#include <stmlog/agent.h>

#include "capture_stderr.h"
#include "environment.h"
#include "test.h"

/* ---- values of options ---- */

TEST(a_number_from_1_to_the_max_is_taken)
{
	assert_int_equal(native_number("1", 10), 1);
	assert_int_equal(native_number("10", 10), 10);
	assert_int_equal(native_number("007", 10), 7);
	assert_int_equal(native_number("4294967295", UINT32_MAX), UINT32_MAX);
}

TEST(all_else_is_0)
{
	static const char *const wrong[] = {"", "0", "11", "-1", "+1", " 1", "1 ", "1.0", "0x1", "ten", "4294967297"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_int_equal(native_number(wrong[i], 10), 0);
	assert_int_equal(native_number("4294967296", UINT32_MAX), 0);
	assert_int_equal(native_number("18446744073709551617", UINT32_MAX), 0);
}

/* What was told on stderr. */
static char told[256];

static uint32_t sample_with(const char *options)
{
	setenv("STMLOG_OPTIONS", options, 1);
	capture_stderr_begin();
	assert_int_equal(stmlog_open(NULL), 0);
	uint32_t sample = native_sample();
	stmlog_close();
	capture_stderr_end(told, sizeof told);
	unsetenv("STMLOG_OPTIONS");
	return sample;
}

TEST(the_interval_of_sampling_is_chosen_by_the_runtime_or_the_option)
{
	assert_int_equal(sample_with(""), NATIVE_SAMPLE_AUTO);
	assert_int_equal(sample_with("sample=auto"), NATIVE_SAMPLE_AUTO);
	assert_int_equal(sample_with("sample=1"), 1);
	assert_int_equal(sample_with("sample=1000000"), 1000000);
	assert_string_equal(told, "");
}

TEST(for_a_timeline_each_transaction_is_measured_unless_the_option_says_otherwise)
{
	assert_int_equal(sample_with("timeline=100"), 1);
	assert_int_equal(sample_with("timeline=100:sample=16"), 16);
	assert_int_equal(sample_with("timeline=100:sample=auto"), NATIVE_SAMPLE_AUTO);
	assert_int_equal(sample_with("timeline=off"), NATIVE_SAMPLE_AUTO);
	assert_string_equal(told, "");
}

TEST(a_wrong_interval_is_told_and_leaves_the_default)
{
	assert_int_equal(sample_with("sample=1000001"), NATIVE_SAMPLE_AUTO);
	assert_string_equal(told, "stmlog: STMLOG_OPTIONS: sample=1000001 is not a number from 1 to 1000000, or auto; "
				  "using the default\n");
}

/* ---- warnings ---- */

TEST(a_warning_is_a_line_of_stmlogs)
{
	capture_stderr_begin();
	native_warn("nothing is recorded");
	native_warn("");
	capture_stderr_end(told, sizeof told);
	assert_string_equal(told, "stmlog: nothing is recorded\nstmlog: \n");
}

TEST(a_warning_may_end_in_a_remedy)
{
	capture_stderr_begin();
	native_warn_with("nothing is recorded; ", "do so");
	capture_stderr_end(told, sizeof told);
	assert_string_equal(told, "stmlog: nothing is recorded; do so\n");
}

TEST(a_warning_of_an_option_tells_its_value_and_those_that_are_possible)
{
	capture_stderr_begin();
	native_warn_of_option("counters", "maybe", "on or off");
	capture_stderr_end(told, sizeof told);
	assert_string_equal(told, "stmlog: STMLOG_OPTIONS: counters=maybe is not on or off; using the default\n");
}
