/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "record.h"
#include "test.h"

static const struct record_place usual = {"/d", 7, 89, "/f"};
static const char begin[] = "kill=flush:snapshot=auto:";

/* `expected`: what stands between `begin` and the paths, for a directory whose name needs no backslash. */
static void expect_options(const char *users, const char *sample, const char *expected)
{
	char wanted[256];
	OWNED(owned_free)
	char *options = record_env_options(users, &(struct record_settings){.sample = sample}, &usual);
	snprintf(wanted, sizeof wanted, "%s%sout=/d/%%p-%%s:report=none", begin, expected);
	assert_string_equal(options, wanted);
}

TEST(ours_come_last_so_that_they_win)
{
	expect_options(NULL, NULL, "");
	expect_options(NULL, "1", "sample=1:");
	expect_options("", "16", "sample=16:");
	expect_options(NULL, "auto", "sample=auto:");
	expect_options("out=x:depth=9", "1", "out=x:depth=9:sample=1:");
}

TEST(what_was_said_is_passed_on)
{
	struct record_settings settings = {.sample = "4", .stacks = "frames", .timeline = "9,grow", .paths = "on"};
	OWNED(owned_free) char *options = record_env_options("stacks=site", &settings, &usual);
	assert_string_equal(options, "kill=flush:snapshot=auto:stacks=site:sample=4:stacks=frames:timeline=9,grow:"
				     "paths=on:out=/d/%p-%s:report=none");
}

static void expect_paths(const char *directory, const char *file, const char *out, const char *expected)
{
	const struct record_place place = {directory, 1, UINT64_MAX, file};
	OWNED(owned_free) char *options = record_env_options(NULL, &(struct record_settings){.sample = NULL}, &place);
	OWNED(owned_free) char *run = record_env_run(&place);
	assert_string_equal(options + sizeof begin - 1, out);
	assert_string_equal(run, expected);
}

TEST(a_path_keeps_its_bytes)
{
	expect_paths("/a:b", "/a", "out=/a\\:b/%p-%s:report=none",
		"in=1.18446744073709551615:late=/a.%p:board=/a\\:b/.board");
	expect_paths("/a\\b", "/a:", "out=/a\\\\b/%p-%s:report=none",
		"in=1.18446744073709551615:late=/a\\:.%p:board=/a\\\\b/.board");
	expect_paths("/100%p", "/%", "out=/100%%p/%p-%s:report=none",
		"in=1.18446744073709551615:late=/%%.%p:board=/100%p/.board");
	expect_paths("/a=b c", "/a", "out=/a=b\\ c/%p-%s:report=none",
		"in=1.18446744073709551615:late=/a.%p:board=/a=b\\ c/.board");
}

TEST(a_backslash_at_the_users_end_does_not_take_our_colon)
{
	expect_options("a=b\\", "1", "a=b\\\\:sample=1:");
	expect_options("a=b\\\\", "1", "a=b\\\\:sample=1:");
}

/* Linked with -Wl,--wrap=clock_calibrate_tsc: the calibration of this machine. */
const char *__wrap_clock_calibrate_tsc(struct clock_tsc *tsc);

const char *__wrap_clock_calibrate_tsc(struct clock_tsc *tsc)
{
	*tsc = (struct clock_tsc){1, 2, 3};
	return NULL;
}

static void expect_tsc(struct record_settings settings, const char *expected)
{
	OWNED(owned_free) char *tsc = record_env_tsc(&settings);
	if (expected == NULL)
		assert_null(tsc);
	else
		assert_string_equal(tsc, expected);
}

TEST(the_tsc_is_calibrated_only_where_each_transaction_is_measured_without_a_timeline)
{
	FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
	char name[4] = "";
	bool is_used = file != NULL && fgets(name, sizeof name, file) != NULL && strcmp(name, "tsc") == 0;
	if (file != NULL)
		fclose(file);
	expect_tsc((struct record_settings){.sample = "1"}, is_used ? "1.2.3" : NULL);
	expect_tsc((struct record_settings){.sample = NULL}, NULL);
	expect_tsc((struct record_settings){.sample = "16"}, NULL);
	expect_tsc((struct record_settings){.sample = "1", .timeline = "1000"}, NULL);
}

TEST(our_library_is_loaded_before_the_users)
{
	OWNED(owned_free)
	char *alone = record_env_preload(NULL, "/x/agent.so"), *empty = record_env_preload("", "/x/agent.so");
	OWNED(owned_free) char *both = record_env_preload("/y/other.so", "/x/agent.so");
	assert_string_equal(alone, "/x/agent.so");
	assert_string_equal(empty, "/x/agent.so");
	assert_string_equal(both, "/x/agent.so:/y/other.so");
}

TEST(the_users_word_on_sanitizers_comes_last)
{
	OWNED(owned_free)
	char *alone = record_env_asan(NULL), *empty = record_env_asan(""), *both = record_env_asan("detect_leaks=0");
	assert_string_equal(alone, "verify_asan_link_order=0");
	assert_string_equal(empty, "verify_asan_link_order=0");
	assert_string_equal(both, "verify_asan_link_order=0:detect_leaks=0");
}
