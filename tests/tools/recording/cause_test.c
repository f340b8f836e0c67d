/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stmlog/stmlog.h>

#include "cause.h"

static void command_and_library_use_the_same_names(void **state)
{
	(void)state;
	for (unsigned i = 0; i <= STMLOG_REASONS; i++)
		assert_string_equal(cause_reason_name(i), stmlog_reason_name(i));
	for (unsigned i = 0; i <= STMLOG_CONTENTIONS; i++)
		assert_string_equal(cause_contention_name(i), stmlog_contention_name(i));
	for (unsigned i = 0; i <= STMLOG_GRADES; i++)
		assert_string_equal(cause_grade_name(i), stmlog_grade_name(i));
}

static void numbers_of_a_later_version_have_a_name(void **state)
{
	(void)state;
	assert_string_equal(cause_reason_name(UINT32_MAX), "?");
	assert_string_equal(cause_contention_name(STMLOG_CONTENTIONS), "?");
	assert_string_equal(cause_grade_name(UINT32_MAX), "?");
}

static void what_aborts_is_an_abort(void **state)
{
	(void)state;
	assert_true(cause_is_abort(STMLOG_SELF_ABORT));
	assert_true(cause_is_abort(STMLOG_ABORTED_BY_OTHER));
	assert_true(cause_is_abort(STMLOG_USER_ABORT));
	assert_false(cause_is_abort(STMLOG_PAUSE));
	assert_false(cause_is_abort(STMLOG_WAIT));
	assert_false(cause_is_abort(STMLOG_REASONS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_and_library_use_the_same_names),
		cmocka_unit_test(numbers_of_a_later_version_have_a_name),
		cmocka_unit_test(what_aborts_is_an_abort),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
