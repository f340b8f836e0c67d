/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "arguments.h"
#include "capture_stderr.h"
#include "diag.h"
#include "test.h"

enum { LOUD = 256, TOP };

static const struct option_row options[] = {
	{"output", 'o', "FILE", "where"},
	{"loud", LOUD, NULL, "more"},
	{"top", TOP, "N", "how many"},
	{0},
};

static const struct command command = {.name = "test", .options = options};
static const struct command stopping = {.name = "test", .options = options, .stops_at_argument = true};

static struct arguments arguments;
static char told[1024];

static int next(void)
{
	capture_stderr_begin();
	int id = arguments_next(&arguments);
	capture_stderr_end(told, sizeof told);
	return id;
}

TEST(options_come_one_by_one_with_their_values)
{
	char *argv[] = {"test", "-ofile", "--loud", "x", "--top=3", "--output", "other", NULL};
	arguments = arguments_of(&command, 7, argv);
	assert_int_equal(next(), 'o');
	assert_string_equal(arguments.value, "file");
	assert_int_equal(next(), LOUD);
	assert_null(arguments.value);
	assert_int_equal(next(), TOP);
	assert_string_equal(arguments.value, "3");
	assert_int_equal(next(), 'o');
	assert_string_equal(arguments.value, "other");
	assert_int_equal(next(), ARGUMENTS_END);
	assert_int_equal(arguments.first, 6);
	assert_string_equal(argv[arguments.first], "x");
}

TEST(the_programs_own_options_are_left_to_it)
{
	char *argv[] = {"test", "--loud", "program", "--loud", "-x", NULL};
	arguments = arguments_of(&stopping, 5, argv);
	assert_int_equal(next(), LOUD);
	assert_int_equal(next(), ARGUMENTS_END);
	assert_int_equal(arguments.first, 2);
	char *dashes[] = {"test", "--", "--loud", NULL};
	arguments = arguments_of(&stopping, 3, dashes);
	assert_int_equal(next(), ARGUMENTS_END);
	assert_int_equal(arguments.first, 2);
}

TEST(mistakes_are_one_line_and_status_2)
{
	static char *const mistakes[][3] = {
		{"--nonsense", "unknown option '--nonsense'"},
		{"-x", "unknown option '-x'"},
		{"--loud=3", "unknown option '--loud=3'"},
		{"--top", "option '--top' needs a value"},
		{"-o", "option '-o' needs a value"},
		{"--to\np=", "unknown option '--to?p='"},
	};
	for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
		char *argv[] = {"test", mistakes[i][0], NULL};
		arguments = arguments_of(&command, 2, argv);
		assert_int_equal(next(), ARGUMENTS_STOP);
		assert_int_equal(arguments.status, STATUS_UNUSABLE);
		assert_non_null(strstr(told, mistakes[i][1]));
		assert_ptr_equal(strchr(told, '\n'), told + strlen(told) - 1);
	}
}

TEST(a_refused_value_says_what_would_do)
{
	char *argv[] = {"test", "--top=many", NULL};
	arguments = arguments_of(&command, 2, argv);
	assert_int_equal(next(), TOP);
	capture_stderr_begin();
	assert_int_equal(arguments_refuse(&arguments, "top", "a number"), ARGUMENTS_STOP);
	capture_stderr_end(told, sizeof told);
	assert_string_equal(told, "stmlog: test: --top=many: not understood; use a number\n");
	assert_int_equal(arguments.status, STATUS_UNUSABLE);
}
