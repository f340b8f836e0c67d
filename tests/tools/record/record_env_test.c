/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "record.h"

static void expect_options(const char *users, const char *sample, const char *directory, const char *expected)
{
	char *options = record_env_options(users, &(struct record_settings){.sample = sample}, directory);
	assert_string_equal(options, expected);
	free(options);
}

static void ours_come_last_so_that_they_win(void **state)
{
	(void)state;
	expect_options(NULL, NULL, "/d", "kill=flush:snapshot=auto:out=/d/%p:report=none");
	expect_options(NULL, "1", "/d", "kill=flush:snapshot=auto:sample=1:out=/d/%p:report=none");
	expect_options("", "16", "/d", "kill=flush:snapshot=auto:sample=16:out=/d/%p:report=none");
	expect_options(NULL, "auto", "/d", "kill=flush:snapshot=auto:sample=auto:out=/d/%p:report=none");
	expect_options(
		"out=x:depth=9", "1", "/d", "kill=flush:snapshot=auto:out=x:depth=9:sample=1:out=/d/%p:report=none");
}

static void what_was_said_is_passed_on(void **state)
{
	(void)state;
	struct record_settings settings = {.sample = "4", .stacks = "frames", .timeline = "9,grow", .paths = "on"};
	char *options = record_env_options("stacks=site", &settings, "/d");
	assert_string_equal(options, "kill=flush:snapshot=auto:stacks=site:sample=4:stacks=frames:timeline=9,grow:"
				     "paths=on:out=/d/%p:report=none");
	free(options);
}

static void a_path_keeps_its_bytes(void **state)
{
	(void)state;
	expect_options(NULL, "1", "/a:b", "kill=flush:snapshot=auto:sample=1:out=/a\\:b/%p:report=none");
	expect_options(NULL, "1", "/a\\b", "kill=flush:snapshot=auto:sample=1:out=/a\\\\b/%p:report=none");
	expect_options(NULL, "1", "/100%p", "kill=flush:snapshot=auto:sample=1:out=/100%%p/%p:report=none");
	expect_options(NULL, "1", "/a=b c", "kill=flush:snapshot=auto:sample=1:out=/a=b c/%p:report=none");
}

static void a_backslash_at_the_users_end_does_not_take_our_colon(void **state)
{
	(void)state;
	expect_options("a=b\\", "1", "/d", "kill=flush:snapshot=auto:a=b\\\\:sample=1:out=/d/%p:report=none");
	expect_options("a=b\\\\", "1", "/d", "kill=flush:snapshot=auto:a=b\\\\:sample=1:out=/d/%p:report=none");
}

static void our_library_is_loaded_before_the_users(void **state)
{
	(void)state;
	char *alone = record_env_preload(NULL, "/x/agent.so"), *empty = record_env_preload("", "/x/agent.so");
	char *both = record_env_preload("/y/other.so", "/x/agent.so");
	assert_string_equal(alone, "/x/agent.so");
	assert_string_equal(empty, "/x/agent.so");
	assert_string_equal(both, "/x/agent.so:/y/other.so");
	free(alone);
	free(empty);
	free(both);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ours_come_last_so_that_they_win),
		cmocka_unit_test(what_was_said_is_passed_on),
		cmocka_unit_test(a_path_keeps_its_bytes),
		cmocka_unit_test(a_backslash_at_the_users_end_does_not_take_our_colon),
		cmocka_unit_test(our_library_is_loaded_before_the_users),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
