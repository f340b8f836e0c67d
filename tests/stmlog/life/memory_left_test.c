/* SPDX-License-Identifier: MIT
 * Made-up groups of processes, below a directory of the test's own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory_left.h"
#include "temp_dir.h"
#include "test.h"

static void write_file(const char *name, const char *text)
{
	char path[256];
	strcpy(path, temp_dir_path(name));
	for (char *slash = strchr(path + strlen(temp_dir) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void write_number(const char *name, unsigned number)
{
	char text[16];
	sprintf(text, "%u\n", number);
	write_file(name, text);
}

static void open_list(const char *list)
{
	write_file("list", list);
	memory_left_open(temp_dir_path("list"), temp_dir);
}

TEST_WITH(temp_dir_fixture, without_a_limit_it_is_not_known)
{
	memory_left_open(temp_dir_path("none"), temp_dir);
	assert_false(memory_left_is_known());
	open_list("");
	assert_false(memory_left_is_known());
	open_list("no line of the kernel's\n0::/nowhere\n");
	assert_false(memory_left_is_known());
	write_file("job/memory.max", "max\n");
	write_number("job/memory.current", 10);
	open_list("0::/job\n");
	assert_false(memory_left_is_known());
	assert_false(memory_left_has_halved());
}

TEST_WITH(temp_dir_fixture, it_is_told_each_time_that_it_has_halved)
{
	write_number("job/memory.max", 1000);
	write_number("job/memory.current", 499);
	open_list("1:cpu:/other\n0::/job\n");
	assert_true(memory_left_is_known());
	assert_false(memory_left_has_halved());
	write_number("job/memory.current", 500);
	assert_true(memory_left_has_halved());
	assert_false(memory_left_has_halved());
	write_number("job/memory.current", 749);
	assert_false(memory_left_has_halved());
	write_number("job/memory.current", 751);
	assert_true(memory_left_has_halved());
	write_number("job/memory.current", 2000);
	assert_true(memory_left_has_halved());
	memory_left_close();
	assert_false(memory_left_is_known());
}

TEST_WITH(temp_dir_fixture, memory_that_stays_full_is_told_some_times_only)
{
	int told = 0;
	write_number("job/memory.max", 1 << 30);
	write_number("job/memory.current", 1 << 30);
	open_list("0::/job\n");
	for (int i = 0; i < 100; i++)
		told += memory_left_has_halved();
	assert_in_range(told, 1, 10);
	memory_left_close();
}

TEST_WITH(temp_dir_fixture, the_lowest_limit_around_the_group_counts)
{
	write_number("memory/memory.limit_in_bytes", 5000);
	write_number("memory/memory.usage_in_bytes", 0);
	write_number("memory/outer/memory.limit_in_bytes", 1000);
	write_number("memory/outer/memory.usage_in_bytes", 600);
	write_number("memory/outer/inner/memory.limit_in_bytes", 2000);
	write_number("memory/outer/inner/memory.usage_in_bytes", 0);
	open_list("3:cpu,memory:/outer/inner\n");
	assert_true(memory_left_has_halved());
	memory_left_close();
}
