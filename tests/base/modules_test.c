/* SPDX-License-Identifier: MIT
 * Files that look like /proc/PID/maps, and this process's own. Modules that are loaded, and modules that are gone: the
 * module that comes and goes is a copy of cmocka's library. */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"
#include "locks.h"
#include "mem.h"
#include "modules.h"
#include "temp_dir.h"
#include "test.h"

/* ---- mappings ---- */

static struct maps_line line;
static struct mapping seen[8]; /* without paths */
static char paths[8][PATH_MAX + 128];
static size_t visits, visits_max;

static bool note(const struct mapping *mapping, void *unused)
{
	(void)unused;
	seen[visits] = *mapping;
	strcpy(paths[visits], mapping->path != NULL ? mapping->path : "none");
	return ++visits < visits_max;
}

static void visit(const char *text, size_t max)
{
	FILE *file = fopen(temp_dir_path("maps"), "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	visits = 0;
	visits_max = max;
	assert_true(maps_visit(temp_dir_path("maps"), &line, note, NULL));
}

TEST_WITH(temp_dir_fixture, a_line_gives_addresses_rights_and_the_file)
{
	visit("1000-2000 rw-p 00003000 fe:00 17                        /a/b c\n"
	      "7f00-8000 --xs 00000000 00:00 0 \n"
	      "8000-9000 r--p 00000000 00:00 0                          [vvar]\n",
		8);
	assert_int_equal(visits, 3);
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
	assert_int_equal(visits, 2);
}

TEST_WITH(temp_dir_fixture, lines_that_are_short_empty_or_too_long_do_no_harm)
{
	char text[sizeof line.text + 64] = "1-2 rw-p 0 0 0 /";
	visit("", 8);
	assert_int_equal(visits, 0);
	visit("\nx\n1-\n1-2\n1-2 rw\n", 8);
	assert_int_equal(visits, 5);
	assert_false(seen[4].is_readable);
	memset(text + strlen(text), 'a', sizeof text - 2 - strlen(text));
	text[sizeof text - 2] = '\n';
	visit(text, 8);
	assert_int_equal(visits, 1);
	assert_int_equal(strlen(line.text), sizeof line.text - 1);
}

static bool look_for(const struct mapping *mapping, void *address)
{
	bool is_it = (uintptr_t)address >= mapping->start && (uintptr_t)address < mapping->end;
	visits += is_it && mapping->is_readable && !mapping->is_code;
	return !is_it;
}

TEST(this_process_has_its_variables_there)
{
	visits = 0;
	maps_visit(MAPS_OF_SELF, &line, look_for, seen);
	assert_int_equal(visits, 1);
}

TEST(a_file_that_is_missing_has_no_lines)
{
	visits = 0;
	assert_false(maps_visit("/proc/none/maps", &line, note, NULL));
	assert_int_equal(visits, 0);
}

/* ---- modules that are loaded ---- */

struct wanted {
	const char *end; /* of its path */
	size_t count;
	struct module found; /* the last one */
};

static void look_at(const struct module *module, void *arg)
{
	struct wanted *wanted = arg;
	size_t len = strlen(module->path), end_len = strlen(wanted->end);
	if (len < end_len || strcmp(module->path + len - end_len, wanted->end) != 0)
		return;
	wanted->count++;
	wanted->found = *module;
}

static struct wanted find(const char *end)
{
	struct wanted wanted = {.end = end};
	modules_visit(look_at, &wanted);
	return wanted;
}

static struct wanted find_kept(const char *end)
{
	struct wanted wanted = {.end = end};
	modules_visit_kept(look_at, &wanted);
	return wanted;
}

static bool is_in(const struct module *module, const void *address)
{
	return (uintptr_t)address >= module->start && (uintptr_t)address < module->end;
}

TEST(the_executable_and_its_libraries_are_there)
{
	char self[PATH_MAX] = "";
	assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
	struct wanted executable = find(self), library = find("/libcmocka.so.0");
	assert_int_equal(executable.count, 1);
	assert_int_equal(library.count, 1);
	assert_true(is_in(&library.found, dlsym(RTLD_DEFAULT, "_cmocka_run_group_tests")));
	assert_false(is_in(&library.found, &executable));
	assert_int_equal(library.found.path[0], '/');
}

/* ---- where the other threads were killed ---- */

static bool is_alone(void)
{
	return true;
}

/* The same addresses: the kernel's path is another where a symbolic link leads to the file. */
struct same {
	const struct module *wanted;
	size_t count;
};

static void compare(const struct module *module, void *arg)
{
	struct same *same = arg;
	const struct module *wanted = same->wanted;
	same->count += module->start == wanted->start && module->end == wanted->end && module->bias == wanted->bias &&
		       module->build_id_len == wanted->build_id_len &&
		       memcmp(module->build_id, wanted->build_id, wanted->build_id_len) == 0;
}

static void find_by_mappings(const struct module *module, void *arg)
{
	struct same same = {.wanted = module};
	size_t *count = arg;
	if (module->path[0] != '/')
		return; /* the vDSO has no file */
	locks_wait_until(is_alone);
	modules_visit(compare, &same);
	locks_wait_until(NULL);
	assert_int_equal(same.count, 1);
	(*count)++;
}

static void count_one(const struct module *module, void *arg)
{
	(void)module;
	++*(size_t *)arg;
}

TEST(where_the_other_threads_were_killed_the_mappings_give_the_same_modules)
{
	size_t found = 0, all = 0;
	if (has_checker())
		skip(); /* valgrind hides modules of its own from the dynamic linker only; and there is no companion */
	modules_visit(find_by_mappings, &found);
	locks_wait_until(is_alone);
	modules_visit(count_one, &all);
	locks_wait_until(NULL);
	assert_true(found >= 3);
	assert_int_equal(all, found);
}

/* ---- a module that comes and goes ---- */

static char before[PATH_MAX]; /* the current directory */
static void *copy;

/* Loads the copy by a relative path. */
static void load(void)
{
	char command[2 * PATH_MAX];
	temp_dir_set_up();
	struct wanted library = find("/libcmocka.so.0");
	snprintf(command, sizeof command, "exec cp '%s' '%s'", library.found.path, temp_dir_path("copy.so"));
	assert_non_null(getcwd(before, sizeof before));
	assert_int_equal(system(command), 0);
	assert_int_equal(chdir(temp_dir), 0);
	copy = dlopen("./copy.so", RTLD_NOW | RTLD_LOCAL);
	assert_int_equal(chdir(before), 0);
	assert_non_null(copy);
}

static void unload(void)
{
	if (copy != NULL)
		dlclose(copy);
	copy = NULL;
}

static void tear_down(void)
{
	unload();
	temp_dir_tear_down();
}

static const struct test_fixture load_fixture = {load, tear_down};

TEST_WITH(load_fixture, a_module_that_was_loaded_by_a_relative_path_has_an_absolute_one)
{
	char expected[PATH_MAX];
	assert_non_null(realpath(temp_dir_path("copy.so"), expected));
	struct wanted wanted = find("/copy.so");
	assert_int_equal(wanted.count, 1);
	assert_string_equal(wanted.found.path, expected);
	assert_true(is_in(&wanted.found, dlsym(copy, "_cmocka_run_group_tests")));
}

TEST_WITH(load_fixture, a_module_whose_file_was_deleted_keeps_its_path)
{
	char expected[PATH_MAX];
	assert_non_null(realpath(temp_dir_path("copy.so"), expected));
	assert_int_equal(unlink(expected), 0);
	assert_string_equal(find("/copy.so").found.path, expected);
}

TEST_WITH(load_fixture, without_memory_or_descriptors_its_path_stays_relative)
{
	struct rlimit limit, none;
	mem_fail_at(1);
	assert_string_equal(find("/copy.so").found.path, "./copy.so");
	assert_int_equal(mem_fail_left(), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){0, limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	struct wanted wanted = find("/copy.so");
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_string_equal(wanted.found.path, "./copy.so");
}

TEST_WITH(load_fixture, a_module_that_is_gone_is_remembered_once)
{
	struct module loaded = find("/copy.so").found;
	modules_keep();
	modules_keep();
	unload();
	assert_int_equal(find("/copy.so").count, 0);
	modules_keep();
	struct wanted kept = find_kept(loaded.path);
	assert_int_equal(kept.count, 1);
	assert_int_equal(kept.found.start, loaded.start);
	assert_int_equal(kept.found.build_id_len, loaded.build_id_len);
}

/* The first piece of memory is for its path, the second for itself. */
TEST_WITH(load_fixture, without_memory_it_is_left_to_the_next_call)
{
	struct module loaded = find("/copy.so").found;
	mem_fail_at(2);
	modules_keep();
	assert_int_equal(mem_fail_left(), 0);
	assert_int_equal(find_kept(loaded.path).count, 0);
	modules_keep();
	assert_int_equal(find_kept(loaded.path).count, 1);
}
