/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file_printer.h"
#include "temp_dir.h"
#include "test.h"

static char text[8192];

/* What is printed for a link to the path, without the letter that is its text; "": no link. */
static const char *link_to(const char *path)
{
	FILE *out = fmemopen(text, sizeof text, "w");
	assert_non_null(out);
	if (hyperlink_begin(out, path))
		hyperlink_end(out);
	fputc('\0', out);
	fclose(out);
	return text;
}

static void touch(const char *path)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
}

TEST_WITH(temp_dir_fixture, a_file_is_linked_by_its_whole_path)
{
	const char *path = temp_dir_path("source.c");
	touch(path);
	link_to(path);
	assert_ptr_equal(strstr(text, "\033]8;;file://"), text);
	assert_non_null(strstr(text, path));
	assert_non_null(strstr(text, "source.c\033\\\033]8;;\033\\"));
}

TEST_WITH(temp_dir_fixture, a_name_of_any_bytes_does_not_end_the_link)
{
	const char *path = temp_dir_path("a b\033\\\a\n%\303\244;c");
	touch(path);
	link_to(path);
	assert_non_null(strstr(text, "/a%20b%1B%5C%07%0A%25%C3%A4%3Bc\033\\\033]8;;\033\\"));
}

TEST_WITH(temp_dir_fixture, what_is_no_file_here_is_not_linked)
{
	assert_string_equal(link_to(temp_dir_path("none.c")), "");
	assert_string_equal(link_to(temp_dir), "");
	assert_string_equal(link_to("/dev/null"), "");
	assert_string_equal(link_to(""), "");
	assert_string_equal(link_to(NULL), "");
}

TEST(the_environment_says_whether_links_are_shown)
{
	clearenv();
	assert_false(hyperlink_is_known());
	setenv("TERM", "xterm-256color", 1);
	assert_false(hyperlink_is_known());
	setenv("VTE_VERSION", "4999", 1);
	assert_false(hyperlink_is_known());
	setenv("VTE_VERSION", "7006", 1);
	assert_true(hyperlink_is_known());
	setenv("FORCE_HYPERLINK", "0", 1);
	assert_false(hyperlink_is_known());
	clearenv();
	setenv("FORCE_HYPERLINK", "1", 1);
	assert_true(hyperlink_is_known());
}
