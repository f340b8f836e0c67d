/* SPDX-License-Identifier: MIT */
#include "loaded.h"

#include <sys/stat.h>
#include <unistd.h>

#include "capture_stderr.h"
#include "record.h"
#include "temp_dir.h"

static struct record_directory directory;
static char told[4096];

/* A recording with so many commits, of a process of this name. */
static void leave(const char *name, uint64_t commits)
{
	char path[600];
	OWNED(writer_fini) struct writer writer;
	snprintf(path, sizeof path, "%s/%s", directory.path, name);
	writer_init(&writer);
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 1, .commits = commits});
	writer_save(&writer, path);
}

static void leave_bytes(const char *name, const char *bytes)
{
	char path[600];
	snprintf(path, sizeof path, "%s/%s", directory.path, name);
	writer_save_bytes(bytes, strlen(bytes), path);
}

/* What is wrong with a recording that was found, and the commits of the chosen one. */
static char fault[200];
static uint64_t chosen_commits;

static bool collect(const char *file)
{
	struct recording recording;
	capture_stderr_begin();
	OWNED(owned_free) char *where = record_collect(&directory, 4711, file, &recording);
	capture_stderr_end(told, sizeof told);
	snprintf(fault, sizeof fault, "%s", recording.fault);
	chosen_commits = recording.thread_count != 0 ? recording.threads[0].commits : 0;
	recording_fini(&recording);
	bool is_there = where != NULL && strcmp(where, file) == 0;
	return is_there;
}

/* The number of commits in the recording at `path`; 0: it is no recording. */
static uint64_t commits_in(const char *path)
{
	OWNED(recording_fini) struct recording recording;
	uint64_t commits = 0;
	if (recording_load(&recording, path) == RECORDING_WHOLE)
		commits = recording.threads[0].commits;
	return commits;
}

static void begin(void)
{
	temp_dir_set_up();
	assert_true(record_directory_create(&directory, temp_dir_path("out.data")));
}

static void end(void)
{
	record_directory_destroy(&directory);
	temp_dir_tear_down();
}

static const struct test_fixture fixture = {begin, end};

TEST_WITH(fixture, the_started_process_is_chosen)
{
	const char *file = temp_dir_path("out.data");
	leave("4711", 1);
	leave("4712", 1000);
	leave("4711.1", 2000);
	assert_true(collect(file));
	assert_string_equal(fault, "");
	assert_int_equal(commits_in(file), 1);
	assert_int_equal(chosen_commits, 1);
	assert_int_equal(commits_in(temp_dir_path("out.data.4712")), 1000);
	assert_int_equal(commits_in(temp_dir_path("out.data.4711.1")), 2000);
	assert_non_null(strstr(told, "2 other processes recorded too"));
	assert_ptr_equal(strchr(told, '\n'), told + strlen(told) - 1);
}

/* As the first processes of three PID namespaces have, or processes that the kernel has given a number again. */
TEST_WITH(fixture, of_several_processes_with_one_number_all_are_kept)
{
	const char *file = temp_dir_path("out.data");
	leave("4711-10", 10);
	leave("4711-9", 9);
	leave("4711-2.1", 2);
	leave("4711-11.1", 11);
	assert_true(collect(file));
	assert_int_equal(commits_in(file), 9);
	assert_int_equal(commits_in(temp_dir_path("out.data.4711")), 10);
	assert_int_equal(commits_in(temp_dir_path("out.data.4711.1")), 2);
	assert_int_equal(commits_in(temp_dir_path("out.data.4711.1.2")), 11);
}

TEST_WITH(fixture, else_the_one_with_max_transactions)
{
	const char *file = temp_dir_path("out.data");
	leave("12", 5);
	leave("13", 50);
	assert_true(collect(file));
	assert_int_equal(commits_in(file), 50);
	assert_int_equal(chosen_commits, 50);
	assert_int_equal(commits_in(temp_dir_path("out.data.12")), 5);
	assert_non_null(strstr(told, "another process recorded too"));
}

TEST_WITH(fixture, however_many_there_are_none_is_dropped)
{
	enum { MANY = 40 };
	char name[32];
	for (uint64_t i = 1; i <= MANY; i++) {
		snprintf(name, sizeof name, "%d", (int)i);
		leave(name, i);
	}
	assert_true(collect(temp_dir_path("out.data")));
	assert_int_equal(commits_in(temp_dir_path("out.data")), MANY);
	for (uint64_t i = 1; i < MANY; i++) {
		snprintf(name, sizeof name, "out.data.%d", (int)i);
		assert_int_equal(commits_in(temp_dir_path(name)), i);
	}
}

TEST_WITH(fixture, one_recording_is_taken_without_a_word)
{
	leave("4711", 3);
	leave_bytes("4711.Xy3Z9a", "STMLOG\r\nhalf written");
	assert_true(collect(temp_dir_path("out.data")));
	assert_string_equal(told, "");
	assert_string_equal(fault, "");
}

TEST_WITH(fixture, without_a_recording_the_old_file_stays)
{
	const char *file = temp_dir_path("out.data");
	writer_save_bytes("old", 3, file);
	assert_false(collect(file));
	assert_string_equal(fault, "");
	leave_bytes("4711", "no recording at all");
	assert_false(collect(file));
	assert_non_null(strstr(fault, "no recording"));
	assert_string_equal(told, "");
	struct stat status;
	assert_int_equal(stat(file, &status), 0);
	assert_int_equal(status.st_size, 3);
}

TEST_WITH(fixture, an_older_recording_is_replaced)
{
	const char *file = temp_dir_path("out.data");
	record_directory_destroy(&directory);
	writer_save_bytes("old", 3, file);
	assert_true(record_directory_create(&directory, file));
	leave("4711", 8);
	assert_true(collect(file));
	assert_int_equal(commits_in(file), 8);
}

TEST_WITH(fixture, one_that_another_recorder_has_put_there_meanwhile_stays)
{
	const char *file = temp_dir_path("out.data");
	for (uint64_t n = 2; n < 5; n++) {
		char name[32];
		snprintf(name, sizeof name, "out.data.%d", (int)n);
		writer_save_bytes("other", 5, file);
		leave("4711", n);
		assert_false(collect(file));
		assert_int_equal(commits_in(temp_dir_path(name)), n);
		assert_non_null(strstr(told, "has the recording, because another one was put at"));
		assert_non_null(strstr(told, name));
	}
	assert_int_equal(commits_in(file), 0);
}

TEST_WITH(fixture, a_directory_that_was_put_in_its_place_is_not_looked_into)
{
	char aside[600];
	const char *file = temp_dir_path("out.data");
	leave("4711", 8);
	snprintf(aside, sizeof aside, "%s.aside", directory.path);
	assert_int_equal(rename(directory.path, aside), 0);
	assert_int_equal(mkdir(directory.path, 0700), 0);
	leave("4711", 9);
	assert_true(collect(file));
	assert_int_equal(commits_in(file), 8);
	char forged[600];
	snprintf(forged, sizeof forged, "%s/4711", directory.path);
	assert_int_equal(unlink(forged), 0);
	assert_int_equal(rename(aside, directory.path), 0);
}
