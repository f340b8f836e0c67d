/* SPDX-License-Identifier: MIT
 * What the recorder learns from the board, and boards that are none. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record.h"
#include "recording_writer.h"
#include "temp_dir.h"
#include "child.h"
#include "test.h"
#include "wait_until.h"

static int board = -1;
static int directory; /* of the test */

static void release(void)
{
	if (board >= 0)
		close(board);
	board = -1;
}

static pid_t running(void)
{
	return record_board_sum_up(board).running;
}

/* The board of the test's directory, with this row behind a free one. */
static void make(uint64_t pid, enum stmlog_board_state what, uint64_t error)
{
	struct stmlog_board made = {.magic = STMLOG_BOARD_MAGIC};
	char *path = record_board_path(temp_dir);
	made.rows[1] = (struct stmlog_board_row){.pid = pid, .state = what, .error = error};
	writer_save_bytes(&made, sizeof made, path);
	free(path);
	release();
	board = record_board_open(directory);
	assert_true(board >= 0);
}

static pid_t running_with(uint64_t pid, enum stmlog_board_state what)
{
	make(pid, what, 0);
	return running();
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
	release();
	temp_dir_tear_down();
}

static const struct test_fixture fixture = {set_up, tear_down};

static void expect_why(const char *expected)
{
	struct record_board_summary sum = record_board_sum_up(board);
	OWNED(owned_free) char *why = record_board_why(&sum, 0);
	if (expected == NULL)
		assert_null(why);
	else
		assert_non_null(strstr(why, expected));
}

TEST_WITH(fixture, a_new_board_is_empty_and_can_be_opened)
{
	board = record_board_create(directory);
	assert_true(board >= 0);
	int second = record_board_open(directory);
	assert_true(second >= 0);
	struct record_board_summary sum = record_board_sum_up(second);
	assert_int_equal(sum.running, 0);
	assert_int_equal(sum.filtered, 0);
	close(second);
	expect_why(NULL);
}

TEST_WITH(fixture, a_board_has_a_high_number_which_programs_inherit)
{
	board = record_board_create(directory);
	assert_true(board >= RECORD_BOARD_INHERITED);
}

/* Valgrind does not know that limit. */
TEST_WITH(fixture, where_no_high_number_is_allowed_there_is_a_board_all_the_same)
{
	if (in_forked_child()) {
		setrlimit(RLIMIT_NOFILE, &(struct rlimit){RECORD_BOARD_INHERITED, RECORD_BOARD_INHERITED});
		bool is_limited = fcntl(directory, F_DUPFD_CLOEXEC, RECORD_BOARD_INHERITED) < 0;
		board = record_board_create(directory);
		_exit(board >= 0 && (board < RECORD_BOARD_INHERITED) == is_limited ? 0 : 1);
	}
}

TEST_WITH(fixture, a_board_that_is_there_is_not_replaced)
{
	make(42, STMLOG_BOARD_FAILED, ENOSPC);
	assert_int_equal(record_board_create(directory), -1);
	expect_why("process 42");
	assert_int_equal(record_board_create(-1), -1);
}

TEST_WITH(fixture, without_room_there_is_no_board)
{
	if (in_forked_child()) {
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){100, 100});
		_exit(record_board_create(directory) < 0 ? 0 : 1);
	}
}

TEST_WITH(fixture, what_is_no_board_is_not_opened)
{
	struct stmlog_board other = {.magic = "OTHERONE"};
	OWNED(owned_free) char *path = record_board_path(temp_dir);
	assert_int_equal(record_board_open(directory), -1);
	writer_save_bytes(&other, sizeof other, path);
	assert_int_equal(record_board_open(directory), -1);
	memcpy(other.magic, STMLOG_BOARD_MAGIC, sizeof other.magic);
	writer_save_bytes(&other, sizeof other - 1, path);
	assert_int_equal(record_board_open(directory), -1);
	writer_save_bytes(&other, sizeof other, temp_dir_path("real"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("real", path), 0);
	assert_int_equal(record_board_open(directory), -1);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(record_board_open(directory), -1);
}

TEST_WITH(fixture, a_process_runs_that_has_a_recording_to_write)
{
	uint64_t self = (uint64_t)getpid();
	assert_int_equal(running_with(self, STMLOG_BOARD_BEGUN), self);
	assert_int_equal(running_with(self, STMLOG_BOARD_SNAPSHOT), self);
	assert_int_equal(running_with(self, STMLOG_BOARD_WRITTEN), 0);
	assert_int_equal(running_with(self, STMLOG_BOARD_NOTHING), 0);
}

/* Numbers that no process has: 0 is all of a group for kill(), as are negative ones. */
TEST_WITH(fixture, a_number_that_is_no_process_does_not_run)
{
	static const uint64_t numbers[] = {0, INT32_MAX, UINT64_C(1) << 31, UINT64_C(1) << 32 | 1, UINT64_MAX};
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		assert_int_equal(running_with(numbers[i], STMLOG_BOARD_BEGUN), 0);
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
	assert_int_equal(running(), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(running(), 0);
}

/* A child of this process in a PID namespace of its own, where its number is 1; -1: the kernel makes none. */
static pid_t child_elsewhere(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, 0);
	while (pid == 0)
		pause();
	return pid;
}

TEST_WITH(fixture, a_process_of_another_pid_namespace_runs_until_it_has_ended)
{
	char link[64];
	siginfo_t info;
	struct stat status;
	pid_t pid = child_elsewhere();
	snprintf(link, sizeof link, "/proc/%ld/ns/pid", (long)pid);
	if (pid < 0 || stat(link, &status) != 0)
		skip();
	assert_int_equal(running_with((uint64_t)status.st_ino << 32 | 1, STMLOG_BOARD_BEGUN), 1);
	make((uint64_t)status.st_ino << 32 | 2, STMLOG_BOARD_FAILED, ENOSPC);
	expect_why("process 2 could not");
	assert_int_equal(running_with((uint64_t)status.st_ino << 32 | 2, STMLOG_BOARD_BEGUN), 0);
	assert_int_equal(running_with((uint64_t)(status.st_ino + 1) << 32 | 1, STMLOG_BOARD_BEGUN), 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(running_with((uint64_t)status.st_ino << 32 | 1, STMLOG_BOARD_BEGUN), 0);
	child_end(pid);
}

/* `watcher` is the process that makes the recording of a process that has ended. */
static void await_with(uint64_t pid, uint64_t watcher)
{
	struct stmlog_board made = {.magic = STMLOG_BOARD_MAGIC};
	char *path = record_board_path(temp_dir);
	made.rows[1] = (struct stmlog_board_row){.pid = pid, .state = STMLOG_BOARD_BEGUN, .watcher = watcher};
	writer_save_bytes(&made, sizeof made, path);
	free(path);
	release();
	board = record_board_open(directory);
	record_board_await(board);
}

TEST_WITH(fixture, the_watcher_of_a_process_that_has_ended_is_waited_for)
{
	siginfo_t info = {.si_pid = 0};
	pid_t watcher = fork();
	if (watcher == 0) {
		WAIT_UNTIL(is_asleep(getppid()));
		_exit(0);
	}
	await_with(INT32_MAX, (uint64_t)watcher);
	assert_int_equal(waitid(P_PID, (id_t)watcher, &info, WEXITED | WNOHANG), 0);
	assert_int_equal(info.si_pid, watcher); /* it has ended */
}

/* The guard ends a test that waits. */
TEST_WITH(fixture, nobody_else_is_waited_for)
{
	uint64_t self = (uint64_t)getpid();
	hang_guard_begin();
	await_with(self, self);            /* the process goes on */
	await_with(INT32_MAX, 0);          /* it has no watcher */
	await_with(INT32_MAX, INT32_MAX);  /* the watcher has ended */
	await_with(INT32_MAX, UINT64_MAX); /* there is no such process */
	record_board_await(-1);
	hang_guard_end();
}

TEST_WITH(fixture, why_there_is_no_recording_is_known)
{
	static const char begun[] = "it ended before its recording could be written";
	make(42, STMLOG_BOARD_FAILED, ENOSPC);
	expect_why("process 42 could not write its recording: No space left on device");
	make(42, STMLOG_BOARD_BEGUN, 0);
	expect_why(begun);
	make(42, STMLOG_BOARD_SNAPSHOT, 0);
	expect_why(begun);
	make(42, STMLOG_BOARD_NOTHING, 0);
	expect_why(NULL);
	assert_false(record_board_sum_up(board).is_refused);
	make(42, STMLOG_BOARD_REFUSED, 0);
	expect_why(NULL);
	assert_true(record_board_sum_up(board).is_refused);
	make(0, STMLOG_BOARD_FAILED, ENOSPC);
	expect_why(NULL);
	release();
	expect_why(NULL);
	assert_false(record_board_sum_up(board).is_refused);
}

/* The program may do that with its own file, and `record` must collect its recording all the same. */
TEST_WITH(fixture, a_board_that_was_cut_off_is_empty_behind_its_end)
{
	OWNED(owned_free) char *path = record_board_path(temp_dir);
	make((uint64_t)getpid(), STMLOG_BOARD_BEGUN, 0);
	for (off_t size = sizeof(struct stmlog_board); size >= 0; size -= 8) {
		assert_int_equal(truncate(path, size), 0);
		bool has_pid = size > (off_t)offsetof(struct stmlog_board, rows[1].pid);
		bool has_state = size > (off_t)offsetof(struct stmlog_board, rows[1].state);
		assert_int_equal(running(), has_pid && has_state ? getpid() : 0);
		assert_int_equal(record_board_sum_up(board).has_begun, has_pid && has_state);
		assert_int_equal(record_board_sum_up(board).filtered, 0);
		record_board_await(board);
	}
}

/* Puts a recording of one byte onto the board, in so many bytes behind its rows. */
static void keep(int file, uint64_t page, struct stmlog_board_kept kept, char byte)
{
	off_t at = (off_t)(sizeof(struct stmlog_board) + page * 4096);
	memcpy(kept.magic, STMLOG_BOARD_KEPT_MAGIC, sizeof kept.magic);
	assert_int_equal(pwrite(file, &kept, sizeof kept, at), sizeof kept);
	assert_int_equal(pwrite(file, &byte, 1, at + (off_t)sizeof kept), 1);
}

static void expect_unloaded(const char *name, char byte)
{
	char found = 0;
	int file = open(temp_dir_path(name), O_RDONLY);
	assert_int_equal(read(file, &found, 1), byte != 0 ? 1 : -1);
	assert_int_equal(found, byte);
	close(file);
}

TEST_WITH(fixture, recordings_on_the_board_become_files)
{
	uint64_t used = sizeof(struct stmlog_board) + UINT64_C(8) * 4096;
	OWNED(owned_free) char *path = record_board_path(temp_dir);
	board = record_board_create(directory);
	int file = open(path, O_RDWR);
	assert_int_equal(pwrite(file, &used, sizeof used, offsetof(struct stmlog_board, used)), sizeof used);
	keep(file, 0, (struct stmlog_board_kept){.size = 8192, .pid = 42, .serial = 1, .len = 1}, 'a');
	keep(file, 1, (struct stmlog_board_kept){.size = 4096, .pid = 42, .serial = 2, .len = 1}, 'b'); /* inside */
	keep(file, 3, (struct stmlog_board_kept){.size = 4096, .pid = 42, .serial = 3, .generation = 7, .len = 1}, 'c');
	keep(file, 4, (struct stmlog_board_kept){.size = 4096, .pid = 42, .serial = 4}, 'd'); /* not whole */
	keep(file, 5, (struct stmlog_board_kept){.size = 4096, .pid = 42, .serial = 5, .len = 4097},
		'e');                                                                                   /* too long */
	keep(file, 7, (struct stmlog_board_kept){.size = 8192, .pid = 42, .serial = 6, .len = 1}, 'f'); /* too large */
	record_board_unload(board, temp_dir);
	expect_unloaded("42-1", 'a');
	expect_unloaded("42-2", 0);
	expect_unloaded("42-3.7", 'c');
	expect_unloaded("42-4", 0);
	expect_unloaded("42-5", 0);
	expect_unloaded("42-6", 0);
	record_board_unload(-1, temp_dir);
	close(file);
}

static uint64_t next(uint64_t *random)
{
	*random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *random >> 11;
}

/* Few processes have such numbers, and none that ends. Most other fields are any word, or one that means something. */
static uint64_t any_word(uint64_t *random)
{
	static const uint64_t words[] = {
		0, 1, 2, 3, 4, 5, INT32_MAX, UINT64_C(1) << 31, UINT64_C(1) << 32 | 1, UINT64_MAX, ENOSPC};
	uint64_t choice = next(random) % 16;
	return choice < sizeof words / sizeof words[0] ? words[choice] : next(random) << (next(random) % 32);
}

/* Changes a row of the board's file, and now and then cuts the file off behind a word: the half of a watcher's number
 * could be that of a process that runs. */
static void change(int file, uint64_t *random)
{
	uint64_t row[] = {any_word(random), any_word(random), any_word(random), any_word(random), any_word(random)};
	if (row[4] <= INT32_MAX)
		row[4] = 0;
	if (next(random) % 64 != 0) /* a process of another PID namespace is searched for, which takes a while */
		row[0] = (uint32_t)row[0];
	size_t at = offsetof(struct stmlog_board, rows) + next(random) % STMLOG_BOARD_ROWS * sizeof row;
	assert_int_equal(pwrite(file, row, sizeof row, (off_t)at), sizeof row);
	if (next(random) % 2 == 0) {
		uint64_t room[] = {any_word(random), any_word(random) % (64 * 4096), any_word(random)};
		off_t header = offsetof(struct stmlog_board, size);
		assert_int_equal(pwrite(file, room, sizeof room, header), sizeof room);
		keep(file, next(random) % 16,
			(struct stmlog_board_kept){.size = any_word(random) % 65536,
				.pid = 1,
				.serial = 1,
				.len = any_word(random) % 65536},
			'x');
	}
	size_t size = next(random) % sizeof(struct stmlog_board) / sizeof row[0] * sizeof row[0];
	if (next(random) % 64 == 0)
		assert_int_equal(ftruncate(file, (off_t)size), 0);
}

/* STMLOG_BOARD_ROUNDS: how many boards, for a longer run. Nobody is waited for, because a watcher that runs is. */
TEST_WITH(fixture, whatever_the_program_writes_there_is_read)
{
	const char *rounds = getenv("STMLOG_BOARD_ROUNDS");
	uint64_t random = 1;
	make(42, STMLOG_BOARD_NOTHING, 0);
	char *path = record_board_path(temp_dir);
	int file = open(path, O_RDWR | O_CLOEXEC);
	free(path);
	assert_true(file >= 0);
	for (long left = rounds != NULL ? atol(rounds) : 3000; left > 0; left--) {
		change(file, &random);
		struct record_board_summary sum = record_board_sum_up(board);
		assert_true(sum.running >= 0);
		free(record_board_why(&sum, 0));
		record_board_await(board);
		record_board_unload(board, temp_dir);
	}
	close(file);
}
