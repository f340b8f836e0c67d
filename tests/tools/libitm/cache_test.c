/* SPDX-License-Identifier: MIT
 * Findings come back from the cache unchanged, or not at all. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libitm.h"
#include "temp_dir.h"
#include "test.h"

static char findings[] = ",counters=108,commits=183c0,locks=18400,dispatch=18340,serial=181c0";

static struct libitm sample(void)
{
	struct libitm libitm = {.findings = findings};
	strcpy(libitm.id, "52e5fc");
	strcpy(libitm.sum, "0123456789abcdef");
	return libitm;
}

static void expect_kept(const struct libitm *libitm, const char *expected)
{
	char *found = libitm_cache_read(libitm);
	if (expected == NULL)
		assert_null(found);
	else
		assert_string_equal(found, expected);
	free(found);
}

static const char *file_of(void)
{
	return temp_dir_path("stmlog/libitm-52e5fc-0123456789abcdef");
}

TEST_WITH(temp_dir_fixture, what_is_kept_comes_back)
{
	struct libitm libitm = sample(), other = libitm;
	setenv("XDG_CACHE_HOME", temp_dir, 1);
	expect_kept(&libitm, NULL);
	libitm_cache_write(&libitm);
	expect_kept(&libitm, findings);
	libitm_cache_write(&libitm);
	expect_kept(&libitm, findings);
	other.id[0] = '6';
	expect_kept(&other, NULL);
	other = libitm;
	other.sum[0] = '1';
	expect_kept(&other, NULL);
}

TEST_WITH(temp_dir_fixture, a_file_by_another_name_is_not_believed)
{
	struct libitm libitm = sample(), other = libitm;
	setenv("XDG_CACHE_HOME", temp_dir, 1);
	libitm_cache_write(&libitm);
	strcpy(other.sum, "fedcba9876543210");
	assert_int_equal(rename(file_of(), temp_dir_path("stmlog/libitm-52e5fc-fedcba9876543210")), 0);
	expect_kept(&other, NULL);
}

TEST_WITH(temp_dir_fixture, without_a_cache_directory_the_home_directory_is_taken)
{
	struct libitm libitm = sample();
	struct stat status;
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", temp_dir, 1);
	libitm_cache_write(&libitm);
	expect_kept(&libitm, findings);
	assert_int_equal(stat(temp_dir_path(".cache/stmlog"), &status), 0);
	setenv("XDG_CACHE_HOME", "relative", 1);
	expect_kept(&libitm, findings);
	assert_int_equal(system("exec rm -r \"$HOME/.cache\""), 0);
}

TEST(where_nothing_can_be_kept_nothing_happens)
{
	struct libitm libitm = sample();
	static const char *const nowhere[] = {"/nonexistent/x", "/dev/null", "/proc", ""};
	setenv("HOME", "/nonexistent", 1);
	for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
		setenv("XDG_CACHE_HOME", nowhere[i], 1);
		libitm_cache_write(&libitm);
		expect_kept(&libitm, NULL);
	}
	unsetenv("HOME");
	unsetenv("XDG_CACHE_HOME");
	libitm_cache_write(&libitm);
	expect_kept(&libitm, NULL);
}

TEST_WITH(temp_dir_fixture, what_others_may_have_written_is_not_believed)
{
	struct libitm libitm = sample();
	setenv("XDG_CACHE_HOME", temp_dir, 1);
	libitm_cache_write(&libitm);
	assert_int_equal(chmod(file_of(), 0666), 0);
	expect_kept(&libitm, NULL);
	assert_int_equal(chmod(file_of(), 0644), 0);
	expect_kept(&libitm, findings);
	assert_int_equal(rename(file_of(), temp_dir_path("stmlog/real")), 0);
	assert_int_equal(symlink("real", file_of()), 0);
	expect_kept(&libitm, NULL);
	assert_int_equal(unlink(file_of()), 0);
	assert_int_equal(mkfifo(file_of(), 0600), 0);
	expect_kept(&libitm, NULL);
	assert_int_equal(unlink(file_of()), 0);
}

TEST(with_any_bit_changed_nothing_is_believed)
{
	struct libitm libitm = sample();
	char *text = libitm_cache_text(&libitm, findings), *found = libitm_cache_findings(&libitm, text);
	assert_string_equal(found, findings);
	free(found);
	for (size_t i = 0; text[i] != '\0'; i++) {
		for (int bit = 0; bit < 8; bit++) {
			text[i] = (char)(text[i] ^ 1 << bit);
			assert_null(libitm_cache_findings(&libitm, text));
			text[i] = (char)(text[i] ^ 1 << bit);
		}
	}
	free(text);
}

TEST(nor_of_a_part_nor_with_more_behind)
{
	struct libitm libitm = sample();
	char *text = libitm_cache_text(&libitm, findings);
	size_t len = strlen(text);
	char more[512];
	snprintf(more, sizeof more, "%s\n", text);
	assert_null(libitm_cache_findings(&libitm, more));
	while (len > 0) {
		text[--len] = '\0';
		assert_null(libitm_cache_findings(&libitm, text));
	}
	free(text);
}

/* With the right hash, but no findings. */
TEST(findings_that_are_none_are_not_believed)
{
	static const char *const bad[] = {",counters=", ",counters=zz", ",other=1", ",locks=1,counters=1", "counters=1",
		",counters=108:out=/etc/passwd", ",counters=12345678901234567"};
	struct libitm libitm = sample();
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char *text = libitm_cache_text(&libitm, bad[i]);
		assert_null(libitm_cache_findings(&libitm, text));
		free(text);
	}
}
