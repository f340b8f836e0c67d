/* SPDX-License-Identifier: MIT
 * Output files that appear as a whole or not at all. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "artifact.h"

static char directory[64];
static char path[128];

static int setup(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/stmlog-artifact-XXXXXX");
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof path, "%s/file", directory);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	assert_int_equal(rmdir(directory), 0); /* nothing else is left in it */
	return 0;
}

static void write_with(int error)
{
	struct artifact artifact;
	assert_int_equal(artifact_begin(&artifact, path), 0);
	assert_int_equal(write(artifact.fd, "new", 3), 3);
	assert_int_equal(artifact_end(&artifact, error), error);
}

static void assert_content(const char *expected)
{
	char content[16] = "";
	int fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_true(read(fd, content, sizeof content - 1) >= 0);
	close(fd);
	assert_string_equal(content, expected);
}

static void put_old_content(void)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs("old", file);
	fclose(file);
}

static void it_replaces_what_was_there_as_a_whole(void **state)
{
	(void)state;
	write_with(0);
	assert_content("new");
	put_old_content();
	write_with(0);
	assert_content("new");
}

static void a_failed_one_leaves_the_old_content_and_nothing_else(void **state)
{
	(void)state;
	put_old_content();
	write_with(-EIO);
	assert_content("old");
	unlink(path);
	write_with(-EIO);
	assert_int_equal(access(path, F_OK), -1);
}

static void what_is_no_regular_file_is_written_to_and_stays(void **state)
{
	struct stat status;
	struct artifact artifact;
	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	int reader = open(path, O_RDONLY | O_NONBLOCK);
	write_with(0);
	char content[4] = "";
	assert_int_equal(read(reader, content, 3), 3);
	assert_string_equal(content, "new");
	close(reader);
	assert_int_equal(stat(path, &status), 0);
	assert_true(S_ISFIFO(status.st_mode));
	assert_int_equal(artifact_begin(&artifact, "/dev/full"), 0);
	assert_int_equal(artifact_end(&artifact, -ENOSPC), -ENOSPC);
	assert_int_equal(stat("/dev/full", &status), 0);
	assert_true(S_ISCHR(status.st_mode));
}

static void a_place_that_cannot_be_is_said(void **state)
{
	struct artifact artifact;
	static char longest[PATH_MAX];
	(void)state;
	memset(longest, 'x', sizeof longest - 1);
	assert_int_equal(artifact_begin(&artifact, "/nowhere/at/all"), -ENOENT);
	assert_int_equal(artifact_begin(&artifact, longest), -ENAMETOOLONG);
	assert_int_equal(artifact_begin(&artifact, directory), -EISDIR);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(it_replaces_what_was_there_as_a_whole),
		CASE(a_failed_one_leaves_the_old_content_and_nothing_else),
		CASE(what_is_no_regular_file_is_written_to_and_stays),
		CASE(a_place_that_cannot_be_is_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
