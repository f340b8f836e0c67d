/* SPDX-License-Identifier: MIT
 * This process's row of the board, and files that are no boards. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "board.h"
#include "session.h"
#include "temp_dir.h"

static struct stmlog_board made, seen;
static const char *path;

static int setup(void **state)
{
	memset(&session, 0, sizeof session);
	session.pid = 42;
	made = (struct stmlog_board){.magic = STMLOG_BOARD_MAGIC};
	return temp_dir_setup(state);
}

/* The next test begins without a board. */
static int teardown(void **state)
{
	options_forget(&session.options);
	board_open();
	return temp_dir_teardown(state);
}

static void save(const void *bytes, size_t len)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(file, bytes, len), len);
	close(file);
}

static void read_back(void)
{
	int file = open(path, O_RDONLY);
	assert_int_equal(read(file, &seen, sizeof seen), sizeof seen);
	close(file);
}

static void open_at(const char *at)
{
	char text[600];
	snprintf(text, sizeof text, "board=%s", at);
	options_forget(&session.options);
	options_parse(&session.options, text);
	board_open();
}

static void open_made(void **state)
{
	path = temp_dir_path(state, "board");
	save(&made, sizeof made);
	open_at(path);
}

static void expect_row(size_t at, uint64_t pid, uint64_t state, uint64_t error)
{
	read_back();
	assert_int_equal(seen.rows[at].pid, pid);
	assert_int_equal(seen.rows[at].state, state);
	assert_int_equal(seen.rows[at].error, error);
}

static void expect_unchanged(void)
{
	read_back();
	assert_memory_equal(&seen, &made, sizeof seen);
}

static void note_everything(void)
{
	board_note_begun();
	board_note(STMLOG_BOARD_WRITTEN, 0);
	board_note(STMLOG_BOARD_WRITTEN, -ENOSPC);
	board_fork_child(true);
	board_note_filtered();
	board_note_watcher(77);
	board_forget_watcher(77);
}

static void what_becomes_of_a_recording_is_in_the_row_of_its_process(void **state)
{
	open_made(state);
	expect_row(0, 42, STMLOG_BOARD_NOTHING, 0);
	board_note_begun();
	expect_row(0, 42, STMLOG_BOARD_BEGUN, 0);
	board_note(STMLOG_BOARD_SNAPSHOT, 0);
	expect_row(0, 42, STMLOG_BOARD_SNAPSHOT, 0);
	board_note(STMLOG_BOARD_SNAPSHOT, -ENOSPC);
	expect_row(0, 42, STMLOG_BOARD_FAILED, ENOSPC);
	board_note(STMLOG_BOARD_WRITTEN, 0);
	expect_row(0, 42, STMLOG_BOARD_WRITTEN, 0);
}

static void a_further_thread_does_not_begin_a_recording_again(void **state)
{
	open_made(state);
	board_note(STMLOG_BOARD_WRITTEN, 0);
	board_note_begun();
	expect_row(0, 42, STMLOG_BOARD_WRITTEN, 0);
}

static void rows_of_others_are_left_alone(void **state)
{
	made.rows[0] = (struct stmlog_board_row){.pid = 41, .state = STMLOG_BOARD_WRITTEN};
	open_made(state);
	board_note_begun();
	expect_row(0, 41, STMLOG_BOARD_WRITTEN, 0);
	expect_row(1, 42, STMLOG_BOARD_BEGUN, 0);
}

static void after_exec_the_process_has_the_row_that_it_had(void **state)
{
	open_made(state);
	board_note(STMLOG_BOARD_WRITTEN, -EIO);
	open_at(path);
	expect_row(0, 42, STMLOG_BOARD_NOTHING, 0);
	expect_row(1, 0, STMLOG_BOARD_NOTHING, 0);
}

static void a_child_without_a_number_counts_in_the_row_of_its_parent(void **state)
{
	open_made(state);
	board_note_begun();
	board_fork_child(false);
	board_note(STMLOG_BOARD_WRITTEN, 0);
	board_note_filtered();
	board_note_filtered();
	expect_row(0, 42, STMLOG_BOARD_BEGUN, 0);
	assert_int_equal(seen.rows[0].filtered, 2);
	expect_row(1, 0, STMLOG_BOARD_NOTHING, 0);
}

static void a_forked_child_has_a_row_of_its_own(void **state)
{
	open_made(state);
	board_note_begun();
	session.pid = 43;
	board_fork_child(true);
	board_note(STMLOG_BOARD_WRITTEN, 0);
	expect_row(0, 42, STMLOG_BOARD_BEGUN, 0);
	expect_row(1, 43, STMLOG_BOARD_WRITTEN, 0);
}

static void expect_watcher(uint64_t watcher)
{
	read_back();
	assert_int_equal(seen.rows[0].watcher, watcher);
}

static void the_row_has_the_watcher_until_that_has_ended(void **state)
{
	open_made(state);
	expect_watcher(0);
	board_note_watcher(77);
	expect_watcher(77);
	board_forget_watcher(77);
	expect_watcher(0);
}

static void the_watcher_of_the_next_image_stays_when_the_one_before_ends(void **state)
{
	open_made(state);
	board_note_watcher(77);
	read_back();
	seen.rows[0].watcher = 78;
	int file = open(path, O_WRONLY);
	assert_int_equal(pwrite(file, &seen, sizeof seen, 0), sizeof seen);
	close(file);
	board_forget_watcher(77);
	expect_watcher(78);
}

static void without_a_free_row_nothing_is_noted(void **state)
{
	for (size_t i = 0; i < STMLOG_BOARD_ROWS; i++)
		made.rows[i].pid = 1000 + i;
	open_made(state);
	note_everything();
	expect_unchanged();
}

static void processes_that_come_together_take_different_rows(void **state)
{
	enum { CHILDREN = 40 };
	int status;
	open_made(state);
	for (int i = 0; i < CHILDREN; i++) {
		if (fork() != 0)
			continue;
		session.pid = 100 + i;
		board_fork_child(true);
		board_note(STMLOG_BOARD_FAILED, -(i + 1));
		_exit(0);
	}
	while (wait(&status) > 0)
		assert_int_equal(status, 0);
	read_back();
	for (size_t i = 1; i <= CHILDREN; i++)
		assert_int_equal(seen.rows[i].pid, seen.rows[i].error + 99);
}

static void a_file_that_is_no_board_is_not_written_to(void **state)
{
	made.magic[7] = 'X';
	open_made(state);
	note_everything();
	expect_unchanged();
}

/* Beyond the end of a file there is no memory: SIGBUS. */
static void a_file_that_is_too_short_is_not_mapped(void **state)
{
	struct stat status;
	path = temp_dir_path(state, "short");
	save(&made, sizeof made - 1);
	open_at(path);
	note_everything();
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, sizeof made - 1);
}

static void a_link_to_a_board_is_not_followed(void **state)
{
	open_made(state);
	save(&made, sizeof made);
	assert_int_equal(symlink("board", temp_dir_path(state, "link")), 0);
	open_at(temp_dir_path(state, "link"));
	note_everything();
	expect_unchanged();
}

static void without_a_board_nothing_happens(void **state)
{
	assert_int_equal(mkfifo(temp_dir_path(state, "fifo"), 0600), 0);
	const char *none[] = {"/nowhere/at/all", "/dev/zero", *state, temp_dir_path(state, "fifo")};
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
		open_at(none[i]);
		note_everything();
	}
	options_forget(&session.options);
	board_open();
	note_everything();
}

/* The program may lose the right to open the file, and all its descriptors. */
static void the_file_is_not_needed_any_more(void **state)
{
	open_made(state);
	int file = open(path, O_RDONLY);
	assert_int_equal(unlink(path), 0);
	board_note_begun();
	assert_int_equal(pread(file, &seen, sizeof seen, 0), sizeof seen);
	close(file);
	assert_int_equal(seen.rows[0].state, STMLOG_BOARD_BEGUN);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_becomes_of_a_recording_is_in_the_row_of_its_process),
		CASE(a_further_thread_does_not_begin_a_recording_again),
		CASE(rows_of_others_are_left_alone),
		CASE(after_exec_the_process_has_the_row_that_it_had),
		CASE(the_row_has_the_watcher_until_that_has_ended),
		CASE(the_watcher_of_the_next_image_stays_when_the_one_before_ends),
		CASE(a_forked_child_has_a_row_of_its_own),
		CASE(a_child_without_a_number_counts_in_the_row_of_its_parent),
		CASE(without_a_free_row_nothing_is_noted),
		CASE(processes_that_come_together_take_different_rows),
		CASE(a_file_that_is_no_board_is_not_written_to),
		CASE(a_file_that_is_too_short_is_not_mapped),
		CASE(a_link_to_a_board_is_not_followed),
		CASE(without_a_board_nothing_happens),
		CASE(the_file_is_not_needed_any_more),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
