/* SPDX-License-Identifier: MIT
 * Files that look like /proc/PID/maps, and this process's own. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "maps.h"
#include "temp_dir.h"
#include "test.h"

static struct maps_line line;
static struct mapping seen[8]; /* without paths */
static char paths[8][PATH_MAX + 128];
static size_t count, wanted;

static bool note(const struct mapping *mapping, void *unused)
{
	(void)unused;
	seen[count] = *mapping;
	strcpy(paths[count], mapping->path != NULL ? mapping->path : "none");
	return ++count < wanted;
}

static void visit(const char *text, size_t max)
{
	FILE *file = fopen(temp_dir_path("maps"), "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	count = 0;
	wanted = max;
	assert_true(maps_visit(temp_dir_path("maps"), &line, note, NULL));
}

TEST_WITH(temp_dir_fixture, a_line_gives_addresses_rights_and_the_file)
{
	visit("1000-2000 rw-p 00003000 fe:00 17                        /a/b c\n"
	      "7f00-8000 --xs 00000000 00:00 0 \n"
	      "8000-9000 r--p 00000000 00:00 0                          [vvar]\n",
		8);
	assert_int_equal(count, 3);
	assert_int_equal(seen[0].start, 0x1000);
	assert_int_equal(seen[0].end, 0x2000);
	assert_true(seen[0].is_readable && !seen[0].is_code);
	assert_int_equal(seen[0].offset, 0x3000);
	assert_int_equal(seen[0].inode, 17);
	assert_string_equal(paths[0], "/a/b c");
	assert_true(!seen[1].is_readable && seen[1].is_code);
	assert_int_equal(seen[1].offset | seen[1].inode, 0);
	assert_string_equal(paths[1], "none");
	assert_string_equal(paths[2], "none");
}

TEST_WITH(temp_dir_fixture, it_ends_when_the_visitor_says_so)
{
	visit("1-2 rw-p\n2-3 rw-p\n3-4 rw-p\n", 2);
	assert_int_equal(count, 2);
}

TEST_WITH(temp_dir_fixture, lines_that_are_short_empty_or_too_long_do_no_harm)
{
	char text[sizeof line.text + 64] = "1-2 rw-p 0 0 0 /";
	visit("", 8);
	assert_int_equal(count, 0);
	visit("\nx\n1-\n1-2\n1-2 rw\n", 8);
	assert_int_equal(count, 5);
	assert_false(seen[4].is_readable);
	memset(text + strlen(text), 'a', sizeof text - 2 - strlen(text));
	text[sizeof text - 2] = '\n';
	visit(text, 8);
	assert_int_equal(count, 1);
	assert_int_equal(strlen(line.text), sizeof line.text - 1);
}

static bool look_for(const struct mapping *mapping, void *address)
{
	bool is_it = (uintptr_t)address >= mapping->start && (uintptr_t)address < mapping->end;
	count += is_it && mapping->is_readable && !mapping->is_code;
	return !is_it;
}

TEST(this_process_has_its_variables_there)
{
	count = 0;
	maps_visit(MAPS_OF_SELF, &line, look_for, seen);
	assert_int_equal(count, 1);
}

TEST(a_file_that_is_missing_has_no_lines)
{
	count = 0;
	assert_false(maps_visit("/proc/none/maps", &line, note, NULL));
	assert_int_equal(count, 0);
}
