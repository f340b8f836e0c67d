/* SPDX-License-Identifier: MIT
 * The private directory of a run, and those of runs whose recorder was killed. */
#include "loaded.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture_stderr.h"
#include "record.h"
#include "temp_dir.h"
#include "child.h"

static char told[4096];

static void leave(const char *directory, const char *name, uint64_t commits)
{
	char path[600];
	OWNED(writer_fini) struct writer writer;
	snprintf(path, sizeof path, "%s/%s", directory, name);
	writer_init(&writer);
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 1, .commits = commits});
	writer_save(&writer, path);
}

static void leave_bytes(const char *directory, const char *name)
{
	char path[600];
	snprintf(path, sizeof path, "%s/%s", directory, name);
	writer_save_bytes("x", 1, path);
}

static bool is_there(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0;
}

static bool is_there_behind(const char *file, const char *end)
{
	char path[600];
	snprintf(path, sizeof path, "%s%s", file, end);
	return is_there(path);
}

static void adopt(const char *file)
{
	capture_stderr_begin();
	record_adopt(file);
	capture_stderr_end(told, sizeof told);
}

/* A recorder makes the directory and is killed. Returns its path; owned. */
static char *killed_recorder(const char *file)
{
	glob_t found;
	char pattern[600];
	pid_t pid = fork();
	if (pid == 0) {
		struct record_directory directory;
		record_directory_create(&directory, file);
		raise(SIGKILL);
	}
	child_end(pid);
	snprintf(pattern, sizeof pattern, "%s.??????", file);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_int_equal(found.gl_pathc, 1);
	char *path = strdup(found.gl_pathv[0]);
	globfree(&found);
	return path;
}

/* What a process of the run would note. */
static void put_row(const char *directory, pid_t pid, enum stmlog_board_state state, int error)
{
	OWNED(owned_free) char *path = record_board_path(directory);
	int file = open(path, O_RDWR);
	struct stmlog_board *board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	assert_ptr_not_equal(board, MAP_FAILED);
	board->rows[0].pid = (uint64_t)pid;
	board->rows[0].state = state;
	board->rows[0].error = (uint64_t)error;
	munmap(board, sizeof *board);
	close(file);
}

TEST_WITH(temp_dir_fixture, it_is_private_beside_the_file_and_absolute)
{
	struct stat status;
	OWNED(record_directory_destroy) struct record_directory directory;
	const char *file = temp_dir_path("out.data");
	assert_true(record_directory_create(&directory, file));
	assert_true(directory.path[0] == '/');
	assert_int_equal(strncmp(directory.path, file, strlen(file)), 0);
	assert_int_equal(stat(directory.path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
}

TEST_WITH(temp_dir_fixture, one_that_cannot_be_made_is_one_line)
{
	const char *const files[] = {"/nowhere/at/all/file", temp_dir, "/dev/null"};
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		struct record_directory directory;
		capture_stderr_begin();
		assert_false(record_directory_create(&directory, files[i]));
		capture_stderr_end(told, sizeof told);
		assert_ptr_equal(strchr(told, '\n'), told + strlen(told) - 1);
	}
}

TEST_WITH(temp_dir_fixture, destroying_takes_what_is_left)
{
	struct record_directory directory;
	assert_true(record_directory_create(&directory, temp_dir_path("other")));
	OWNED(owned_free) char *path = strdup(directory.path);
	leave_bytes(path, "left");
	leave_bytes(path, ".hidden");
	record_directory_destroy(&directory);
	assert_null(directory.path);
	assert_false(is_there(path));
}

TEST_WITH(temp_dir_fixture, of_a_killed_recorder_what_is_whole_is_kept_and_the_rest_removed)
{
	const char *file = temp_dir_path("out.data");
	OWNED(owned_free) char *directory = killed_recorder(file);
	leave(directory, "4711-3", 5);
	leave_bytes(directory, "4712-4");
	adopt(file);
	assert_true(is_there_behind(file, ".4711"));
	assert_false(is_there_behind(file, ".4712"));
	assert_false(is_there(directory));
	assert_non_null(strstr(told, "out.data.4711: is a recording that was found"));
}

TEST_WITH(temp_dir_fixture, what_is_kept_replaces_nothing)
{
	const char *file = temp_dir_path("out.data");
	OWNED(owned_free) char *directory = killed_recorder(file);
	leave(directory, "4711", 5);
	writer_save_bytes("old", 3, temp_dir_path("out.data.4711"));
	adopt(file);
	assert_true(is_there_behind(file, ".4711.2"));
}

TEST_WITH(temp_dir_fixture, one_whose_recorder_lives_is_left_alone)
{
	OWNED(record_directory_destroy) struct record_directory directory;
	const char *file = temp_dir_path("out.data");
	assert_true(record_directory_create(&directory, file));
	leave(directory.path, "4711", 5);
	pid_t pid = fork(); /* the lock belongs to what was opened, so another process must ask for it */
	if (pid == 0) {
		record_adopt(file);
		_exit(0);
	}
	child_end(pid);
	assert_true(is_there(directory.path));
}

TEST_WITH(temp_dir_fixture, one_in_which_a_process_still_records_is_left_alone)
{
	const char *file = temp_dir_path("out.data");
	OWNED(owned_free) char *directory = killed_recorder(file);
	put_row(directory, getpid(), STMLOG_BOARD_BEGUN, 0);
	adopt(file);
	assert_true(is_there(directory));
	put_row(directory, getpid(), STMLOG_BOARD_WRITTEN, 0);
	adopt(file);
	assert_false(is_there(directory));
}

TEST_WITH(temp_dir_fixture, one_that_others_may_have_changed_is_left_alone)
{
	const char *file = temp_dir_path("out.data");
	OWNED(owned_free) char *directory = killed_recorder(file);
	leave(directory, "4711", 5);
	assert_int_equal(chmod(directory, 0770), 0);
	adopt(file);
	assert_true(is_there(directory));
	assert_false(is_there_behind(file, ".4711"));
}

TEST_WITH(temp_dir_fixture, a_directory_of_the_users_is_left_alone)
{
	const char *file = temp_dir_path("out.data");
	const char *users = temp_dir_path("out.data.backup");
	assert_int_equal(mkdir(users, 0700), 0);
	leave(users, "4711", 5);
	adopt(file);
	assert_true(is_there_behind(users, "/4711"));
}

/* `expected` is NULL: the board does not say why. */
static void expect_why(int board, int signal, const char *expected)
{
	struct record_board_summary sum = record_board_sum_up(board);
	OWNED(owned_free) char *why = record_board_why(&sum, signal);
	if (expected == NULL)
		assert_null(why);
	else
		assert_non_null(strstr(why, expected));
}

TEST_WITH(temp_dir_fixture, the_board_says_why_there_is_no_recording)
{
	const char *file = temp_dir_path("out.data");
	struct record_directory directory;
	assert_true(record_directory_create(&directory, file));
	expect_why(directory.board, 0, NULL);
	put_row(directory.path, 1, STMLOG_BOARD_NOTHING, 0);
	expect_why(directory.board, 0, NULL);
	put_row(directory.path, 1, STMLOG_BOARD_BEGUN, 0);
	expect_why(directory.board, 0, "it ended before its recording could be written");
	expect_why(directory.board, SIGSEGV, "signal 11 (Segmentation fault) ended it");
	put_row(directory.path, 1, STMLOG_BOARD_FAILED, EACCES);
	expect_why(directory.board, SIGSEGV, "process 1 could not write its recording: Permission denied");
	record_directory_destroy(&directory);
	expect_why(-1, 0, NULL);
}
