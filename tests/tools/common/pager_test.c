/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pager.h"

static unsigned long rows(const char *text)
{
	return pager_rows(text, strlen(text), 10);
}

static void each_line_is_a_row(void **state)
{
	(void)state;
	assert_int_equal(rows(""), 0);
	assert_int_equal(rows("\n"), 1);
	assert_int_equal(rows("a"), 1);
	assert_int_equal(rows("a\n\nb"), 3);
}

static void a_line_that_is_too_long_goes_on_in_the_next_row(void **state)
{
	(void)state;
	assert_int_equal(rows("0123456789\n"), 1);
	assert_int_equal(rows("0123456789a\n"), 2);
	assert_int_equal(rows("0123456789012345678901"), 3);
}

static void escapes_and_bytes_within_a_letter_take_no_room(void **state)
{
	(void)state;
	assert_int_equal(rows("\033[1;31m0123456789\033[0m\n"), 1);
	assert_int_equal(rows("\033]8;;file://host/a/long/path\033\\0123456789\033]8;;\033\\\n"), 1);
	assert_int_equal(rows("\303\244\303\244\303\244\303\244\303\244\303\244\n"), 1);
}

static void an_escape_may_be_cut(void **state)
{
	(void)state;
	assert_int_equal(rows("\033"), 1);
	assert_int_equal(rows("a\033["), 1);
	assert_int_equal(rows("a\033]8;;"), 1);
	assert_int_equal(rows("a\033]8;;\033"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_line_is_a_row),
		cmocka_unit_test(a_line_that_is_too_long_goes_on_in_the_next_row),
		cmocka_unit_test(escapes_and_bytes_within_a_letter_take_no_room),
		cmocka_unit_test(an_escape_may_be_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
