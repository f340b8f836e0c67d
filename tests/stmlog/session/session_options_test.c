/* SPDX-License-Identifier: MIT
 * Parsing of STMLOG_OPTIONS, and warnings of bad values. */
#include <string.h>

#include "capture_stderr.h"
#include "mem.h"
#include "session.h"
#include "test.h"

static struct options options;

static void forget(void)
{
	options_forget(&options);
	assert_int_equal(mem_live_bytes(), 0);
}

static const struct test_fixture forget_fixture = {.tear_down = forget};

TEST_WITH(forget_fixture, nothing_given_means_no_option)
{
	options_parse(&options, NULL);
	assert_null(options_get(&options, "out"));
	options_forget(&options);
	options_parse(&options, "");
	assert_null(options_get(&options, "out"));
	options_forget(&options);
	options_parse(&options, ":::");
	assert_int_equal(options.len, 0);
}

TEST_WITH(forget_fixture, keys_and_values_come_apart_and_the_last_one_counts)
{
	options_parse(&options, "top=5:out=a:verbose:out=b=c");
	assert_string_equal(options_get(&options, "top"), "5");
	assert_string_equal(options_get(&options, "out"), "b=c");
	assert_string_equal(options_get(&options, "verbose"), "");
}

TEST_WITH(forget_fixture, a_backslash_makes_a_colon_ordinary)
{
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

static const char *told_by_parse(const char *text)
{
	static char told[512];
	options_forget(&options);
	capture_stderr_begin();
	options_parse(&options, text);
	capture_stderr_end(told, sizeof told);
	return told;
}

TEST_WITH(forget_fixture, a_text_may_be_of_any_length)
{
	static char text[200000] = "out=", many[4 * 10000 + 8] = "";
	memset(text + 4, 'x', sizeof text - 5);
	options_parse(&options, text);
	assert_int_equal(strlen(options_get(&options, "out")), sizeof text - 5);
	options_forget(&options);
	for (size_t i = 0; i < 10000; i++)
		memcpy(many + 4 * i, "a=1:", 4);
	strcat(many, "b=2");
	options_parse(&options, many);
	assert_int_equal(options.len, 10001);
	assert_string_equal(options_get(&options, "b"), "2");
}

TEST_WITH(forget_fixture, without_memory_there_are_no_options_and_that_is_said)
{
	mem_fail_at(1);
	options_parse(&options, "out=a");
	assert_null(options_get(&options, "out"));
	assert_string_equal(warning(), "stmlog: no memory for STMLOG_OPTIONS; all of it is ignored\n");
	options_parse(&options, "out=a");
	assert_string_equal(warning(), "");
}

TEST_WITH(forget_fixture, numbers_out_of_range_are_warned_about_once_and_replaced)
{
	static const char *const bad[] = {"n=", "n=-1", "n=x", "n=3x", "n=4", "n=0", "n=99999999999999999999999"};
	options_parse(&options, "n=3");
	assert_int_equal(options_number(&options, "n", 1, 3, 2), 3);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		char told[512];
		options_forget(&options);
		options_parse(&options, bad[i]);
		capture_stderr_begin();
		assert_int_equal(options_number(&options, "n", 1, 3, 2), 2);
		capture_stderr_end(told, sizeof told);
		assert_non_null(strstr(told, "n="));
		assert_ptr_equal(strchr(told, '\n'), told + strlen(told) - 1);
	}
}

TEST_WITH(forget_fixture, each_unknown_key_is_named_once)
{
	char told[512];
	options_parse(&options, "top=1:colour=red");
	options_get(&options, "top");
	capture_stderr_begin();
	options_warn_unknown(&options);
	options_warn_unknown(&options);
	capture_stderr_end(told, sizeof told);
	assert_string_equal(told, "stmlog: STMLOG_OPTIONS: unknown key colour; ignored\n");
}

TEST_WITH(forget_fixture, another_separator_than_a_colon_is_warned_about)
{
	static const char *const wrong[] = {"top=1,out=a", "top=1 out=a", "top=1;out=a"};
	static const char *const right[] = {"timeline=1,grow:out=a", "out=a\\,b=c", "out=a b", "out=,", "out=a,=b"};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		const char *told = told_by_parse(wrong[i]);
		assert_non_null(
			strstr(told, "out=a\" is part of the value before it; put a colon between two options\n"));
		assert_ptr_equal(strchr(told, '\n'), told + strlen(told) - 1);
	}
	for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
		assert_string_equal(told_by_parse(right[i]), "");
}
