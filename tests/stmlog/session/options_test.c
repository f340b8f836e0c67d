/* SPDX-License-Identifier: MIT
 * Parsing of STMLOG_OPTIONS, and warnings of bad values. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "capture_stderr.h"
#include "options.h"

static struct options options;

static void nothing_given_means_no_option(void **state)
{
	(void)state;
	options_parse(&options, NULL);
	assert_null(options_get(&options, "out"));
	options_parse(&options, "");
	assert_null(options_get(&options, "out"));
	options_parse(&options, ":::");
	assert_int_equal(options.len, 0);
}

static void keys_and_values_come_apart_and_the_last_one_counts(void **state)
{
	(void)state;
	options_parse(&options, "top=5:out=a:verbose:out=b=c");
	assert_string_equal(options_get(&options, "top"), "5");
	assert_string_equal(options_get(&options, "out"), "b=c");
	assert_string_equal(options_get(&options, "verbose"), "");
}

static void a_backslash_makes_a_colon_ordinary(void **state)
{
	(void)state;
	options_parse(&options, "out=/a\\:b\\\\c:top=1");
	assert_string_equal(options_get(&options, "out"), "/a:b\\c");
	assert_string_equal(options_get(&options, "top"), "1");
}

/* What the warning says of options that are ignored. */
static const char *warning(void)
{
	static char told[512];
	capture_stderr_begin();
	for (size_t i = 0; i < options.len; i++)
		options_get(&options, options.option[i].key);
	options_warn_unknown(&options);
	options_warn_unknown(&options);
	capture_stderr_end(told, sizeof told);
	return told;
}

static void a_text_that_is_too_long_is_ignored_as_a_whole_and_that_is_said(void **state)
{
	(void)state;
	static char text[OPTIONS_TEXT + 2];
	memset(text, 'x', OPTIONS_TEXT - 1);
	options_parse(&options, text);
	assert_int_equal(options.len, 1);
	assert_string_equal(warning(), "");
	text[OPTIONS_TEXT - 1] = 'x';
	options_parse(&options, text);
	assert_int_equal(options.len, 0);
	assert_string_equal(warning(), "stmlog: STMLOG_OPTIONS is longer than 4095 bytes; all of it is ignored\n");
}

static void too_many_options_are_cut_and_that_is_said(void **state)
{
	(void)state;
	char many[4 * (OPTIONS_MOST + 2)] = "";
	for (int i = 0; i < OPTIONS_MOST; i++)
		strcat(many, "a=1:");
	options_parse(&options, many);
	assert_string_equal(warning(), "");
	strcat(many, "b=2");
	options_parse(&options, many);
	assert_int_equal(options.len, OPTIONS_MOST);
	assert_string_equal(
		warning(), "stmlog: STMLOG_OPTIONS has more than 32 options; those after them are ignored\n");
}

static void numbers_out_of_range_are_warned_about_once_and_replaced(void **state)
{
	(void)state;
	static const char *const bad[] = {"n=", "n=-1", "n=x", "n=3x", "n=4", "n=0", "n=99999999999999999999999"};
	options_parse(&options, "n=3");
	assert_int_equal(options_number(&options, "n", 1, 3, 2), 3);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		char told[512];
		options_parse(&options, bad[i]);
		capture_stderr_begin();
		assert_int_equal(options_number(&options, "n", 1, 3, 2), 2);
		capture_stderr_end(told, sizeof told);
		assert_non_null(strstr(told, "n="));
		assert_ptr_equal(strchr(told, '\n'), told + strlen(told) - 1);
	}
}

static void each_unknown_key_is_named_once(void **state)
{
	(void)state;
	char told[512];
	options_parse(&options, "top=1:colour=red");
	options_get(&options, "top");
	capture_stderr_begin();
	options_warn_unknown(&options);
	options_warn_unknown(&options);
	capture_stderr_end(told, sizeof told);
	assert_string_equal(told, "stmlog: STMLOG_OPTIONS: unknown key colour; ignored\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_given_means_no_option),
		cmocka_unit_test(keys_and_values_come_apart_and_the_last_one_counts),
		cmocka_unit_test(a_backslash_makes_a_colon_ordinary),
		cmocka_unit_test(a_text_that_is_too_long_is_ignored_as_a_whole_and_that_is_said),
		cmocka_unit_test(too_many_options_are_cut_and_that_is_said),
		cmocka_unit_test(numbers_out_of_range_are_warned_about_once_and_replaced),
		cmocka_unit_test(each_unknown_key_is_named_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
