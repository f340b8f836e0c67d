/* SPDX-License-Identifier: MIT */

#include <stmlog/read.h>

#include "cause.h"
#include "test.h"

TEST(numbers_of_a_later_version_have_a_name)
{
	assert_string_equal(stmlog_reason_name(UINT32_MAX), "?");
	assert_string_equal(stmlog_contention_name(STMLOG_CONTENTIONS), "?");
	assert_string_equal(stmlog_grade_name(UINT32_MAX), "?");
}

TEST(what_aborts_is_an_abort)
{
	assert_true(cause_is_abort(STMLOG_SELF_ABORT));
	assert_true(cause_is_abort(STMLOG_ABORTED_BY_OTHER));
	assert_true(cause_is_abort(STMLOG_USER_ABORT));
	assert_false(cause_is_abort(STMLOG_PAUSE));
	assert_false(cause_is_abort(STMLOG_WAIT));
	assert_false(cause_is_abort(STMLOG_REASONS));
}
