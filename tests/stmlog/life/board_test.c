/* SPDX-License-Identifier: MIT
 * This process's row of the board, and files that are no boards. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "life.h"
#include "session.h"
#include "temp_dir.h"
#include "test.h"

static struct stmlog_board made, seen;
static const char *path;

static void set_up(void)
{
	memset(&session, 0, sizeof session);
	session.pid = 42;
	made = (struct stmlog_board){.magic = STMLOG_BOARD_MAGIC};
	temp_dir_set_up();
}

/* The next test begins without a board. */
static void tear_down(void)
{
	options_forget(&session.run);
	board_open();
	temp_dir_tear_down();
}

static const struct test_fixture fixture = {set_up, tear_down};

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
	options_forget(&session.run);
	options_parse(&session.run, text);
	board_open();
}

static void open_made(void)
{
	path = temp_dir_path("board");
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

/* A process without a row has a serial number all the same. */
static void expect_unchanged(void)
{
	read_back();
	seen.serials = made.serials;
	assert_memory_equal(&seen, &made, sizeof seen);
}

static void note_everything(void)
{
	board_note_refused();
	board_note_begun();
	board_note(STMLOG_BOARD_WRITTEN, 0);
	board_note(STMLOG_BOARD_WRITTEN, -ENOSPC);
	board_fork_child(true);
	board_note_filtered();
	board_note_watcher(77);
	board_forget_watcher(77);
}

TEST_WITH(fixture, what_becomes_of_a_recording_is_in_the_row_of_its_process)
{
	open_made();
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

TEST_WITH(fixture, a_further_thread_does_not_begin_a_recording_again)
{
	open_made();
	board_note(STMLOG_BOARD_WRITTEN, 0);
	board_note_begun();
	expect_row(0, 42, STMLOG_BOARD_WRITTEN, 0);
}

/* Another agent may record the process that one agent cannot record. */
TEST_WITH(fixture, a_process_that_one_agent_refuses_may_be_recorded_all_the_same)
{
	open_made();
	board_note_refused();
	expect_row(0, 42, STMLOG_BOARD_REFUSED, 0);
	board_note_begun();
	expect_row(0, 42, STMLOG_BOARD_BEGUN, 0);
	board_note_refused();
	expect_row(0, 42, STMLOG_BOARD_BEGUN, 0);
}

TEST_WITH(fixture, rows_of_others_are_left_alone)
{
	made.rows[0] = (struct stmlog_board_row){.pid = 41, .state = STMLOG_BOARD_WRITTEN};
	open_made();
	board_note_begun();
	expect_row(0, 41, STMLOG_BOARD_WRITTEN, 0);
	expect_row(1, 42, STMLOG_BOARD_BEGUN, 0);
}

TEST_WITH(fixture, after_exec_the_process_has_the_row_that_it_had)
{
	open_made();
	board_note(STMLOG_BOARD_WRITTEN, -EIO);
	open_at(path);
	expect_row(0, 42, STMLOG_BOARD_NOTHING, 0);
	expect_row(1, 0, STMLOG_BOARD_NOTHING, 0);
}

static void expect_watcher(uint64_t watcher)
{
	read_back();
	assert_int_equal(seen.rows[0].watcher, watcher);
}

TEST_WITH(fixture, the_row_has_the_watcher_until_that_has_ended)
{
	open_made();
	expect_watcher(0);
	board_note_watcher(77);
	expect_watcher(77);
	board_forget_watcher(77);
	expect_watcher(0);
}

/* The next image opens the board anew, and has the pid of the one before. */
TEST_WITH(fixture, the_watcher_of_the_image_before_stays_in_its_row)
{
	open_made();
	board_note_watcher(77);
	board_open();
	board_note_watcher(78);
	expect_watcher(77);
	assert_int_equal(seen.rows[1].pid, session.pid);
	assert_int_equal(seen.rows[1].watcher, 78);
	board_forget_watcher(78);
	board_open();
	board_note_watcher(79);
	expect_watcher(77);
	assert_int_equal(seen.rows[1].watcher, 79);
	assert_int_equal(seen.rows[2].pid, 0);
}

TEST_WITH(fixture, a_forked_child_has_a_row_of_its_own)
{
	open_made();
	board_note_begun();
	session.pid = 43;
	board_fork_child(true);
	board_note(STMLOG_BOARD_WRITTEN, 0);
	expect_row(0, 42, STMLOG_BOARD_BEGUN, 0);
	expect_row(1, 43, STMLOG_BOARD_WRITTEN, 0);
}

TEST_WITH(fixture, each_process_and_each_program_after_exec_has_a_serial_number_of_its_own)
{
	made.serials = 5;
	open_made();
	assert_int_equal(session.serial, 6);
	board_fork_child(true);
	assert_int_equal(session.serial, 7);
	open_at(path);
	assert_int_equal(session.serial, 8);
	open_at("/nowhere");
	assert_int_equal(session.serial, 0);
}

TEST_WITH(fixture, equal_numbers_of_two_pid_namespaces_are_two_processes)
{
	struct stat status;
	if (stat("/proc/self/ns/pid", &status) != 0)
		skip();
	made.pid_namespace = status.st_ino;
	open_made();
	expect_row(0, 42, STMLOG_BOARD_NOTHING, 0);
	made.pid_namespace++;
	made.rows[0] = (struct stmlog_board_row){.pid = 42, .state = STMLOG_BOARD_WRITTEN};
	open_made();
	expect_row(0, 42, STMLOG_BOARD_WRITTEN, 0);
	expect_row(1, (uint64_t)status.st_ino << 32 | 42, STMLOG_BOARD_NOTHING, 0);
}

TEST_WITH(fixture, a_child_without_a_number_counts_in_the_row_of_its_parent)
{
	open_made();
	board_note_begun();
	board_fork_child(false);
	board_note(STMLOG_BOARD_WRITTEN, 0);
	board_note_filtered();
	board_note_filtered();
	expect_row(0, 42, STMLOG_BOARD_BEGUN, 0);
	assert_int_equal(seen.rows[0].filtered, 2);
	expect_row(1, 0, STMLOG_BOARD_NOTHING, 0);
}

TEST_WITH(fixture, without_a_free_row_nothing_is_noted)
{
	for (size_t i = 0; i < STMLOG_BOARD_ROWS; i++)
		made.rows[i].pid = 1000 + i;
	open_made();
	note_everything();
	expect_unchanged();
}

TEST_WITH(fixture, processes_that_come_together_take_different_rows)
{
	enum { CHILDREN = 40 };
	int status;
	open_made();
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

TEST_WITH(fixture, a_file_that_is_no_board_is_not_written_to)
{
	made.magic[7] = 'X';
	open_made();
	note_everything();
	expect_unchanged();
}

/* Beyond the end of a file there is no memory: SIGBUS. */
TEST_WITH(fixture, a_file_that_is_too_short_is_not_mapped)
{
	struct stat status;
	path = temp_dir_path("short");
	save(&made, sizeof made - 1);
	open_at(path);
	note_everything();
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, sizeof made - 1);
}

TEST_WITH(fixture, a_link_to_a_board_is_not_followed)
{
	open_made();
	save(&made, sizeof made);
	assert_int_equal(symlink("board", temp_dir_path("link")), 0);
	open_at(temp_dir_path("link"));
	note_everything();
	expect_unchanged();
}

TEST_WITH(fixture, without_a_board_nothing_happens)
{
	assert_int_equal(mkfifo(temp_dir_path("fifo"), 0600), 0);
	const char *none[] = {"/nowhere/at/all", "/dev/zero", temp_dir, temp_dir_path("fifo")};
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
		open_at(none[i]);
		note_everything();
	}
	options_forget(&session.run);
	board_open();
	note_everything();
}

static void open_inherited(int file)
{
	char text[600];
	snprintf(text, sizeof text, "board=/nowhere:inherited=%d", file);
	options_forget(&session.run);
	options_parse(&session.run, text);
	board_open();
}

/* A program that has lost the right to open the file is started by exec(). */
TEST_WITH(fixture, an_inherited_descriptor_stands_for_a_path_that_cannot_be_opened)
{
	open_made();
	int file = open(path, O_RDWR);
	open_inherited(file);
	board_note_begun();
	expect_row(0, 42, STMLOG_BOARD_BEGUN, 0);
	assert_int_equal(fcntl(file, F_GETFD), 0); /* the next program inherits it, too */
	close(file);
}

TEST_WITH(fixture, a_descriptor_that_the_program_has_closed_or_used_for_another_file_is_no_board)
{
	open_made();
	save(&made, sizeof made);
	int closed = open(path, O_RDWR), other = open(temp_dir, O_RDONLY), unwritable = open(path, O_RDONLY);
	close(closed);
	const int files[] = {closed, other, unwritable, -1};
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		open_inherited(files[i]);
		note_everything();
		expect_unchanged();
	}
	close(unwritable);
	close(other);
}

/* The program may lose the right to open the file, and all its descriptors. */
TEST_WITH(fixture, the_file_is_not_needed_any_more)
{
	open_made();
	int file = open(path, O_RDONLY);
	assert_int_equal(unlink(path), 0);
	board_note_begun();
	assert_int_equal(pread(file, &seen, sizeof seen, 0), sizeof seen);
	close(file);
	assert_int_equal(seen.rows[0].state, STMLOG_BOARD_BEGUN);
}
