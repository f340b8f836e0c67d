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
	assert_int_equal(memory_left_bytes(), 0);
	assert_false(memory_left_is_short());
}

TEST_WITH(temp_dir_fixture, the_largest_number_of_whole_pages_is_no_limit)
{
	static const char *const unlimited[] = {"9223372036854771712\n", "9223372036854710272\n"};
	write_number("memory/job/memory.usage_in_bytes", 10);
	for (size_t i = 0; i < 2; i++) {
		write_file("memory/job/memory.limit_in_bytes", unlimited[i]);
		open_list("5:memory:/job\n");
		assert_false(memory_left_is_known());
	}
	write_file("memory/job/memory.limit_in_bytes", "9223372036854710271\n");
	open_list("5:memory:/job\n");
	assert_true(memory_left_is_known());
	memory_left_close();
}

static bool is_short_at(unsigned used)
{
	write_number("job/memory.current", used);
	return memory_left_is_short();
}

TEST_WITH(temp_dir_fixture, an_eighth_of_the_limit_is_short)
{
	write_number("job/memory.max", 80000);
	write_number("job/memory.current", 69999);
	open_list("1:cpu:/other\n0::/job\n");
	assert_true(memory_left_is_known());
	assert_false(is_short_at(69999));
	assert_int_equal(memory_left_bytes(), 10001);
	assert_true(is_short_at(70000));
	assert_true(is_short_at(70000));
	assert_true(is_short_at(100000));
	assert_int_equal(memory_left_bytes(), 0);
	memory_left_close();
	assert_false(memory_left_is_known());
}

TEST_WITH(temp_dir_fixture, a_sixteenth_of_it_used_since_the_last_call_is_short)
{
	write_number("job/memory.max", 32000);
	write_number("job/memory.current", 1000);
	open_list("0::/job\n");
	assert_false(is_short_at(2000));
	assert_false(is_short_at(2000));
	assert_false(is_short_at(1000));
	assert_true(is_short_at(3000));
	assert_false(is_short_at(3000));
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
	assert_int_equal(memory_left_bytes(), 400);
	memory_left_close();
}
