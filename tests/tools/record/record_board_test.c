/* SPDX-License-Identifier: MIT
 * What the recorder learns from the board, and boards that are none. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record.h"
#include "recording_writer.h"
#include "temp_dir.h"
#include "child.h"
#include "test.h"

static const struct stmlog_board *board;
static int directory; /* of the test */

/* The board of the test's directory, with this row behind a free one. */
static void make(uint64_t pid, enum stmlog_board_state what, uint64_t error)
{
	struct stmlog_board made = {.magic = STMLOG_BOARD_MAGIC};
	char *path = record_board_path(temp_dir);
	made.rows[1] = (struct stmlog_board_row){.pid = pid, .state = what, .error = error};
	writer_save_bytes(&made, sizeof made, path);
	free(path);
	record_board_release(&board);
	board = record_board_open(directory);
	assert_non_null(board);
}

static void set_up(void)
{
	temp_dir_set_up();
	directory = open(temp_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(directory >= 0);
}

static void tear_down(void)
{
	close(directory);
	record_board_release(&board);
	temp_dir_tear_down();
}

static const struct test_fixture fixture = {set_up, tear_down};

static void expect_why(const char *expected)
{
	char *why = record_board_why(board, 0);
	if (expected == NULL)
		assert_null(why);
	else
		assert_non_null(strstr(why, expected));
	free(why);
}

TEST_WITH(fixture, a_new_board_is_empty_and_can_be_opened)
{
	board = record_board_create(directory);
	assert_non_null(board);
	const struct stmlog_board *second = record_board_open(directory);
	assert_non_null(second);
	assert_memory_equal(board, second, sizeof *board);
	assert_int_equal(record_board_running(second), 0);
	record_board_release(&second);
	assert_null(second);
	record_board_release(&second);
	expect_why(NULL);
}

TEST_WITH(fixture, a_board_that_is_there_is_not_replaced)
{
	make(42, STMLOG_BOARD_WRITTEN, 0);
	assert_null(record_board_create(directory));
	assert_int_equal(board->rows[1].pid, 42);
	assert_null(record_board_create(-1));
}

TEST_WITH(fixture, without_room_there_is_no_board)
{
	pid_t pid = fork();
	if (pid == 0) {
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){100, 100});
		_exit(record_board_create(directory) == NULL ? 0 : 1);
	}
	assert_child_succeeds(pid);
}

TEST_WITH(fixture, what_is_no_board_is_not_opened)
{
	struct stmlog_board other = {.magic = "OTHERONE"};
	char *path = record_board_path(temp_dir);
	assert_null(record_board_open(directory));
	writer_save_bytes(&other, sizeof other, path);
	assert_null(record_board_open(directory));
	memcpy(other.magic, STMLOG_BOARD_MAGIC, sizeof other.magic);
	writer_save_bytes(&other, sizeof other - 1, path);
	assert_null(record_board_open(directory));
	writer_save_bytes(&other, sizeof other, temp_dir_path("real"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("real", path), 0);
	assert_null(record_board_open(directory));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(record_board_open(directory));
	free(path);
}

TEST_WITH(fixture, a_process_runs_that_has_a_recording_to_write)
{
	uint64_t self = (uint64_t)getpid();
	make(self, STMLOG_BOARD_BEGUN, 0);
	assert_int_equal(record_board_running(board), self);
	make(self, STMLOG_BOARD_SNAPSHOT, 0);
	assert_int_equal(record_board_running(board), self);
	make(self, STMLOG_BOARD_WRITTEN, 0);
	assert_int_equal(record_board_running(board), 0);
	make(self, STMLOG_BOARD_NOTHING, 0);
	assert_int_equal(record_board_running(board), 0);
	assert_int_equal(record_board_running(NULL), 0);
}

/* Numbers that no process has: 0 is all of a group for kill(), as are negative ones. */
TEST_WITH(fixture, a_number_that_is_no_process_does_not_run)
{
	static const uint64_t numbers[] = {0, INT32_MAX, UINT64_C(1) << 31, UINT64_C(1) << 32 | 1, UINT64_MAX};
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		make(numbers[i], STMLOG_BOARD_BEGUN, 0);
		assert_int_equal(record_board_running(board), 0);
	}
}

TEST_WITH(fixture, a_process_that_has_ended_does_not_run_though_nobody_has_asked_for_its_status)
{
	siginfo_t info;
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	make((uint64_t)pid, STMLOG_BOARD_BEGUN, 0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(record_board_running(board), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(record_board_running(board), 0);
}

/* `watcher` is the process that makes the recording of a process that has ended. */
static void await_with(uint64_t pid, uint64_t watcher)
{
	struct stmlog_board made = {.magic = STMLOG_BOARD_MAGIC};
	char *path = record_board_path(temp_dir);
	made.rows[1] = (struct stmlog_board_row){.pid = pid, .state = STMLOG_BOARD_BEGUN, .watcher = watcher};
	writer_save_bytes(&made, sizeof made, path);
	free(path);
	record_board_release(&board);
	board = record_board_open(directory);
	record_board_await(board);
}

TEST_WITH(fixture, the_watcher_of_a_process_that_has_ended_is_waited_for)
{
	siginfo_t info = {.si_pid = 0};
	pid_t watcher = fork();
	if (watcher == 0) {
		usleep(50000);
		_exit(0);
	}
	await_with(INT32_MAX, (uint64_t)watcher);
	assert_int_equal(waitid(P_PID, (id_t)watcher, &info, WEXITED | WNOHANG), 0);
	assert_int_equal(info.si_pid, watcher); /* it has ended */
}

/* A wait would end with the test. */
TEST_WITH(fixture, nobody_else_is_waited_for)
{
	uint64_t self = (uint64_t)getpid();
	alarm(50);
	await_with(self, self);            /* the process goes on */
	await_with(INT32_MAX, 0);          /* it has no watcher */
	await_with(INT32_MAX, INT32_MAX);  /* the watcher has ended */
	await_with(INT32_MAX, UINT64_MAX); /* there is no such process */
	record_board_await(NULL);
	alarm(0);
}

TEST_WITH(fixture, why_there_is_no_recording_is_known)
{
	make(42, STMLOG_BOARD_FAILED, ENOSPC);
	expect_why("process 42 could not write its recording: No space left on device");
	assert_false(record_board_has_begun(board));
	make(42, STMLOG_BOARD_BEGUN, 0);
	expect_why(NULL);
	assert_true(record_board_has_begun(board));
	make(42, STMLOG_BOARD_SNAPSHOT, 0);
	expect_why(NULL);
	assert_true(record_board_has_begun(board));
	make(42, STMLOG_BOARD_NOTHING, 0);
	expect_why(NULL);
	assert_false(record_board_has_begun(board));
	make(0, STMLOG_BOARD_FAILED, ENOSPC);
	expect_why(NULL);
	record_board_release(&board);
	expect_why(NULL);
	assert_false(record_board_has_begun(NULL));
}
