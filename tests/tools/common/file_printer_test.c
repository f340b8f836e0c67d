/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "file_printer.h"
#include "test.h"

static unsigned long rows(const char *text)
{
	return pager_rows(text, strlen(text), 10);
}

TEST(each_line_is_a_row)
{
	assert_int_equal(rows(""), 0);
	assert_int_equal(rows("\n"), 1);
	assert_int_equal(rows("a"), 1);
	assert_int_equal(rows("a\n\nb"), 3);
}

TEST(a_line_that_is_too_long_goes_on_in_the_next_row)
{
	assert_int_equal(rows("0123456789\n"), 1);
	assert_int_equal(rows("0123456789a\n"), 2);
	assert_int_equal(rows("0123456789012345678901"), 3);
}

TEST(escapes_and_bytes_within_a_letter_take_no_room)
{
	assert_int_equal(rows("\033[1;31m0123456789\033[0m\n"), 1);
	assert_int_equal(rows("\303\244\303\244\303\244\303\244\303\244\303\244\n"), 1);
}

TEST(an_escape_may_be_cut)
{
	assert_int_equal(rows("\033"), 1);
	assert_int_equal(rows("a\033["), 1);
}
