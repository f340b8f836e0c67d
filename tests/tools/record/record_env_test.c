/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture_stderr.h"
#include "clock.h"
#include "record.h"
#include "test.h"

static struct record_directory usual = {.path = "/d", .fd = -1};
static const char begin[] = "kill=flush:snapshot=auto:";

/* `expected`: what stands between `begin` and the paths, for a directory whose name needs no backslash. */
static void expect_options(const char *users, const char *sample, const char *expected)
{
	char wanted[256];
	OWNED(owned_free)
	char *options = record_env_options(users, &(struct record_settings){.sample = sample}, &usual);
	snprintf(wanted, sizeof wanted, "%s%sout=/d/%%p-%%s:report=none:", begin, expected);
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
	struct record_settings settings = {.sample = "4", .timeline = "9,grow", .paths = "on"};
	OWNED(owned_free) char *options = record_env_options("depth=9", &settings, &usual);
	assert_string_equal(options, "kill=flush:snapshot=auto:depth=9:sample=4:timeline=9,grow:"
				     "paths=on:out=/d/%p-%s:report=none:");
}

/* `expected` stands in STMLOG_RUN behind the device and the number of the directory. */
static void expect_paths(char *directory, const char *out, const char *expected)
{
	struct stat root;
	char run_expected[256];
	struct record_directory place = {.path = directory, .fd = open("/", O_RDONLY | O_DIRECTORY), .board = 207};
	struct record_settings none = {.sample = NULL};
	OWNED(owned_free) char *options = record_env_options(NULL, &none, &place);
	OWNED(owned_free) char *run = record_env_run(&none, &place);
	assert_int_equal(fstat(place.fd, &root), 0);
	close(place.fd);
	snprintf(run_expected, sizeof run_expected, "in=%ju.%ju:%s:inherited=207:", (uintmax_t)root.st_dev,
		(uintmax_t)root.st_ino, expected);
	assert_string_equal(options + sizeof begin - 1, out);
	assert_string_equal(run, run_expected);
}

TEST(a_path_keeps_its_bytes)
{
	expect_paths(
		"/a:b.123456", "out=/a\\:b.123456/%p-%s:report=none:", "late=/a\\:b.%p:board=/a\\:b.123456/.board");
	expect_paths(
		"/a\\b.123456", "out=/a\\\\b.123456/%p-%s:report=none:", "late=/a\\\\b.%p:board=/a\\\\b.123456/.board");
	expect_paths(
		"/100%p.123456", "out=/100%%p.123456/%p-%s:report=none:", "late=/100%%p.%p:board=/100%p.123456/.board");
	expect_paths("/a=b c.123456",
		"out=/a=b\\ c.123456/%p-%s:report=none:", "late=/a=b\\ c.%p:board=/a=b\\ c.123456/.board");
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
	struct record_directory place = {.path = "/file.123456", .fd = -1};
	OWNED(owned_free) char *run = record_env_run(&settings, &place);
	const char *tsc = strstr(run, ":tsc=");
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
	expect_tsc((struct record_settings){.sample = "1"}, is_used ? ":tsc=1.2.3:" : NULL);
	expect_tsc((struct record_settings){.sample = NULL}, NULL);
	expect_tsc((struct record_settings){.sample = "16"}, NULL);
	expect_tsc((struct record_settings){.sample = "1", .timeline = "1000"}, NULL);
}

TEST(our_library_is_loaded_before_the_users)
{
	OWNED(owned_free)
	char *alone = record_env_before("/x/agent.so", NULL), *empty = record_env_before("/x/agent.so", "");
	OWNED(owned_free) char *both = record_env_before("/x/agent.so", "/y/other.so");
	assert_string_equal(alone, "/x/agent.so");
	assert_string_equal(empty, "/x/agent.so");
	assert_string_equal(both, "/x/agent.so:/y/other.so");
}

TEST(a_program_has_the_variables_that_are_set_and_none_of_an_outer_recorder)
{
	OWNED(record_env_fini) struct record_env env = {.len = 0};
	setenv("STMLOG_TEST_A", "outer", 1);
	setenv("STMLOG_TEST_B", "outer", 1);
	record_env_set(&env, "STMLOG_TEST_A", NULL);
	record_env_set(&env, "STMLOG_TEST_B", strdup("inner"));
	assert_true(record_env_apply(&env));
	assert_null(getenv("STMLOG_TEST_A"));
	assert_string_equal(getenv("STMLOG_TEST_B"), "inner");
}

/* ---- where there is no agent: none lies beside this program, and for x86-64 alone there is one ---- */

#ifdef __x86_64__
static const char no_agent[] = "stmlog: libstmlog-itm.so: not found beside stmlog";
#else
static const char no_agent[] = "stmlog: record: the agents for libitm are for x86-64 only; ";
#endif

TEST(one_line_says_why_there_is_no_agent)
{
	char told[512];
	capture_stderr_begin();
	char *agent = record_agent_find(RECORD_LIBITM);
	capture_stderr_end(told, sizeof told);
	assert_null(agent);
	assert_memory_equal(told, no_agent, sizeof no_agent - 1);
	assert_ptr_equal(strchr(told, '\n'), told + strlen(told) - 1);
}
