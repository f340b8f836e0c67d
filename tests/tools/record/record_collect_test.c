/* SPDX-License-Identifier: MIT */
#include "loaded.h"

#include <sys/stat.h>
#include <unistd.h>

#include "capture_stderr.h"
#include "record.h"
#include "temp_dir.h"

static struct record_directory directory;
static char told[4096];

/* A recording with so many commits, of a process of this name, and another line of INFO. */
static void leave_line(const char *name, uint64_t commits, const char *line)
{
	char path[600], pid[64];
	OWNED(writer_fini) struct writer writer;
	snprintf(path, sizeof path, "%s/%s", directory.path, name);
	snprintf(pid, sizeof pid, "pid=%ld", strtol(name, NULL, 10));
	writer_init(&writer);
	writer_info(&writer, pid);
	writer_info(&writer, line);
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 1, .commits = commits});
	writer_save(&writer, path);
}

static void leave(const char *name, uint64_t commits)
{
	leave_line(name, commits, "program=/bin/server");
}

/* The same with a timeline of no events. */
static void leave_timeline(const char *name, uint64_t commits)
{
	char path[600];
	OWNED(writer_fini) struct writer writer;
	snprintf(path, sizeof path, "%s/%s", directory.path, name);
	writer_init(&writer);
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 1, .commits = commits});
	writer_append(&writer, STMLOG_SECTION_EVENTS, "", 0);
	writer_save(&writer, path);
}

static void leave_bytes(const char *name, const char *bytes)
{
	char path[600];
	snprintf(path, sizeof path, "%s/%s", directory.path, name);
	writer_save_bytes(bytes, strlen(bytes), path);
}

/* Of what was collected: what is wrong with it, its process, the commits of all, and how many they are. */
static char fault[200];
static uint64_t chosen_pid, all_commits;
static size_t process_count;

static uint64_t sum_of_commits(const struct recording *recording)
{
	uint64_t commits = 0;
	for (size_t i = 0; i < recording->thread_count; i++)
		commits += recording->threads[i].commits;
	return commits;
}

static bool collect(const char *file)
{
	struct recording recording;
	capture_stderr_begin();
	OWNED(owned_free) char *where = record_collect(&directory, 4711, file, &recording);
	capture_stderr_end(told, sizeof told);
	snprintf(fault, sizeof fault, "%s", recording.fault);
	chosen_pid = recording.info.pid;
	all_commits = sum_of_commits(&recording);
	process_count = recording.process_count;
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
		commits = sum_of_commits(&recording);
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

static bool has_file(const char *name)
{
	return access(temp_dir_path(name), F_OK) == 0;
}

TEST_WITH(fixture, the_processes_of_a_run_are_added_up_and_it_is_that_of_the_started_one)
{
	const char *file = temp_dir_path("out.data");
	leave("4711", 1);
	leave("4712", 1000);
	leave("4711.1", 2000);
	assert_true(collect(file));
	assert_string_equal(fault, "");
	assert_string_equal(told, "");
	assert_int_equal(commits_in(file), 3001);
	assert_int_equal(all_commits, 3001);
	assert_int_equal(process_count, 3);
	assert_int_equal(chosen_pid, 4711);
	assert_false(has_file("out.data.4712"));
}

/* As the first processes of three PID namespaces have, or processes that the kernel has given a number again. */
TEST_WITH(fixture, processes_with_one_number_are_as_many)
{
	leave("4711-10", 10);
	leave("4711-9", 9);
	leave("4711-2.1", 2);
	leave("4711-11.1", 11);
	assert_true(collect(temp_dir_path("out.data")));
	assert_int_equal(all_commits, 32);
	assert_int_equal(process_count, 4);
}

TEST_WITH(fixture, else_it_is_that_of_the_one_with_max_transactions)
{
	leave("12", 5);
	leave("13", 50);
	leave("14", 6);
	assert_true(collect(temp_dir_path("out.data")));
	assert_int_equal(chosen_pid, 13);
	assert_int_equal(all_commits, 61);
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
	assert_int_equal(process_count, MANY);
	assert_int_equal(all_commits, MANY * (MANY + 1) / 2);
}

TEST_WITH(fixture, one_of_another_runtime_keeps_a_file_of_its_own)
{
	leave("4711", 1);
	leave("4712", 10);
	leave_line("4713", 100, "runtime=other");
	assert_true(collect(temp_dir_path("out.data")));
	assert_int_equal(all_commits, 11);
	assert_int_equal(process_count, 2);
	assert_int_equal(commits_in(temp_dir_path("out.data.4713")), 100);
	assert_non_null(strstr(told, "another process recorded too"));
	assert_ptr_equal(strchr(told, '\n'), told + strlen(told) - 1);
}

TEST_WITH(fixture, a_timeline_is_of_one_process_so_each_keeps_its_own)
{
	leave_timeline("4711", 1);
	leave("4712", 10);
	leave("4713-2.1", 100);
	assert_true(collect(temp_dir_path("out.data")));
	assert_int_equal(all_commits, 1);
	assert_int_equal(process_count, 0);
	assert_int_equal(commits_in(temp_dir_path("out.data.4712")), 10);
	assert_int_equal(commits_in(temp_dir_path("out.data.4713.1")), 100);
	assert_non_null(strstr(told, "2 other processes recorded too"));
}

TEST_WITH(fixture, snapshots_are_told)
{
	leave_line("4711", 1, "snapshot=1");
	assert_true(collect(temp_dir_path("out.data")));
	assert_non_null(strstr(told, "out.data: is the last snapshot of process 4711: what"));
	leave("4711", 1);
	leave_line("4712-3", 2, "snapshot=1");
	collect(temp_dir_path("out.data"));
	assert_non_null(strstr(told, "has the last snapshot of process 4712: what"));
	assert_null(strstr(told, "4711"));
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
