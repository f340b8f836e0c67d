/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture_stderr.h"
#include "child.h"
#include "inflated.h"
#include "random.h"
#include "temp_dir.h"
#include "test.h"

static size_t count_files(void)
{
	DIR *directory = opendir(temp_dir);
	size_t count = 0;
	assert_non_null(directory);
	for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
		count += entry->d_name[0] != '.';
	closedir(directory);
	return count;
}

static void assert_holds(const char *path, const char *wanted)
{
	char text[64] = "";
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof text - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(text, wanted);
}

static void put(const char *path, const char *text)
{
	struct output output;
	assert_true(output_begin(&output, path));
	fputs(text, output.file);
	assert_true(output_end(&output));
}

TEST_WITH(temp_dir_fixture, it_is_there_when_it_is_whole_and_not_before)
{
	struct output output;
	const char *path = temp_dir_path("out");
	assert_true(output_begin(&output, path));
	fputs("half", output.file);
	fflush(output.file);
	assert_int_equal(access(path, F_OK), -1);
	fputs(" and half", output.file);
	assert_true(output_end(&output));
	assert_holds(path, "half and half");
	assert_int_equal(count_files(), 1);
}

TEST_WITH(temp_dir_fixture, what_was_there_before_is_replaced)
{
	const char *path = temp_dir_path("out");
	struct stat status;
	mode_t mask = umask(027);
	put(path, "old and long");
	put(path, "new");
	umask(mask);
	assert_holds(path, "new");
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0640);
}

TEST_WITH(temp_dir_fixture, what_cannot_be_written_whole_changes_nothing)
{
	struct output output;
	struct rlimit before, none;
	char told[256];
	const char *path = temp_dir_path("out");
	put(path, "old");
	getrlimit(RLIMIT_FSIZE, &before);
	none = (struct rlimit){0, before.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	assert_true(output_begin(&output, path));
	fputs("new", output.file);
	setrlimit(RLIMIT_FSIZE, &none);
	int is_flushed = fflush(output.file);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(is_flushed, EOF);
	capture_stderr_begin();
	bool is_written = output_end(&output);
	capture_stderr_end(told, sizeof told);
	assert_false(is_written);
	assert_non_null(strstr(told, "cannot be written"));
	assert_holds(path, "old");
	assert_int_equal(count_files(), 1);
}

TEST_WITH(temp_dir_fixture, a_place_that_there_is_not_is_told)
{
	struct output output;
	char told[256];
	capture_stderr_begin();
	bool is_begun = output_begin(&output, temp_dir_path("no/where"));
	capture_stderr_end(told, sizeof told);
	assert_false(is_begun);
	assert_non_null(strstr(told, "cannot be written: No such file or directory"));
	assert_int_equal(count_files(), 0);
}

TEST_WITH(temp_dir_fixture, what_is_no_file_is_written_to_and_stays_what_it_is)
{
	char text[8] = "";
	struct stat status;
	const char *path = temp_dir_path("pipe");
	assert_int_equal(mkfifo(path, 0600), 0);
	int pipe = open(path, O_RDWR | O_NONBLOCK);
	put(path, "through");
	assert_int_equal(read(pipe, text, sizeof text), 7);
	close(pipe);
	assert_int_equal(stat(path, &status), 0);
	assert_true(S_ISFIFO(status.st_mode));
	assert_int_equal(count_files(), 1);
}

TEST_WITH(temp_dir_fixture, a_fifo_is_waited_for_and_the_wait_is_told)
{
	char told[256] = "", text[8] = "";
	int ends[2];
	const char *path = temp_dir_path("pipe");
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		put(path, "through");
		_exit(0);
	}
	assert_true(read(ends[0], told, sizeof told - 1) > 0);
	assert_non_null(strstr(told, "waits until somebody reads it"));
	int reader = open(path, O_RDWR);
	assert_int_equal(read(reader, text, sizeof text), 7);
	close(reader);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(child_end(child), 0);
}

TEST_WITH(temp_dir_fixture, a_full_device_is_told_not_to_be_as_it_was)
{
	struct output output;
	char told[256];
	assert_true(output_begin(&output, "/dev/full"));
	fputs("new", output.file);
	capture_stderr_begin();
	bool is_written = output_end(&output);
	capture_stderr_end(told, sizeof told);
	assert_false(is_written);
	assert_non_null(strstr(told, "/dev/full: cannot be written: No space left on device; a part may be there"));
}

/* The wait status of a child that ends after it has begun to write. */
static int end_of_child(const char *path, void (*leave)(void))
{
	pid_t child = fork();
	if (child == 0) {
		struct output output;
		signal(SIGTERM, SIG_DFL);
		if (output_begin(&output, path))
			fputs("half", output.file);
		leave();
		_exit(99);
	}
	return child_end(child);
}

static void be_killed(void)
{
	raise(SIGTERM);
}

static void run_out_of_memory(void)
{
	exit(2);
}

TEST_WITH(temp_dir_fixture, what_is_interrupted_leaves_nothing_behind)
{
	const char *path = temp_dir_path("out");
	int status = end_of_child(path, be_killed);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	assert_int_equal(count_files(), 0);
	status = end_of_child(path, run_out_of_memory);
	assert_int_equal(WEXITSTATUS(status), 2);
	assert_int_equal(count_files(), 0);
}

/* ---- compression: the decompressed bytes are those that were written, in whatever pieces ---- */

enum { BUFFER = 1 << 16 }; /* as long as it has at first */

/* Compresses `len` bytes in pieces of at most `piece`, and expects them back. */
static void expect_back(const uint8_t *bytes, size_t len, size_t piece)
{
	char *packed;
	size_t packed_len, out_len;
	OWNED(owned_free) struct gzip *gzip = malloc(sizeof *gzip);
	assert_non_null(gzip);
	FILE *out = open_memstream(&packed, &packed_len);
	gzip_begin(gzip, out);
	for (size_t at = 0; at < len; at += piece) {
		size_t part = len - at < piece ? len - at : piece;
		memcpy(gzip_room(gzip, part + at % 3), bytes + at, part);
		gzip_add(gzip, part);
	}
	gzip_end(gzip);
	fclose(out);
	OWNED(owned_free) uint8_t *back = inflated(packed, packed_len, &out_len);
	assert_non_null(back);
	assert_int_equal(out_len, len);
	if (len > 0)
		assert_memory_equal(back, bytes, len);
	assert_null(inflated(packed, packed_len - 1, &out_len));
	free(packed);
}

TEST(all_that_was_written_comes_out)
{
	static const size_t lengths[] = {0, 1, BUFFER - 1, BUFFER, BUFFER + 1, 2 * BUFFER, 5 * BUFFER + 7};
	static uint8_t bytes[5 * BUFFER + 7]; /* half of them noise, which does not get smaller */
	struct random random = {7};
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = i % (2 * BUFFER) < BUFFER ? (uint8_t)random_below(&random, 256) : 'x';
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		expect_back(bytes, lengths[i], 1000);
		expect_back(bytes, lengths[i], BUFFER);
		expect_back(bytes, lengths[i], BUFFER + 1);
		expect_back(bytes, lengths[i], sizeof bytes);
	}
}

TEST(the_same_gives_the_same_file)
{
	char *packed[2];
	size_t len[2];
	OWNED(owned_free) struct gzip *gzip = malloc(sizeof *gzip);
	assert_non_null(gzip);
	for (int i = 0; i < 2; i++) {
		FILE *out = open_memstream(&packed[i], &len[i]);
		gzip_begin(gzip, out);
		memcpy(gzip_room(gzip, 7), "profile", 7);
		gzip_add(gzip, 7);
		gzip_end(gzip);
		fclose(out);
	}
	assert_int_equal(len[0], len[1]);
	assert_memory_equal(packed[0], packed[1], len[0]);
	free(packed[0]);
	free(packed[1]);
}

/* ---- pager ---- */

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
