/* SPDX-License-Identifier: MIT
 * Warnings on standard error. */

#include "capture_stderr.h"
#include "test.h"
#include "warning.h"

static char told[256];

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
