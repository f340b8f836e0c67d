/* SPDX-License-Identifier: MIT
 * libitm's choice of a method, from the environment and the processor. Which layouts the agent accepts: the module of
 * this test plays libitm. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "libitm_layout.h"
#include "test.h"

/* ---- the method ---- */

/* Asks the kernel about the processor, which is another way than the one under test. */
static enum itm_method default_method(void)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[8192];
	enum itm_method method = ITM_METHOD_LOCKS;
	assert_non_null(file);
	while (fgets(line, sizeof line, file) != NULL)
		if (strncmp(line, "flags", 5) == 0 && strstr(line, " rtm") != NULL)
			method = ITM_METHOD_HARDWARE;
	fclose(file);
	return method;
}

static enum itm_method method_with(const char *text)
{
	setenv("ITM_DEFAULT_METHOD", text, 1);
	enum itm_method method = itm_method_read();
	unsetenv("ITM_DEFAULT_METHOD");
	return method;
}

TEST(each_name_is_read)
{
	for (enum itm_method method = 0; method < ITM_METHODS; method++)
		assert_int_equal(method_with(itm_method_name(method)), method);
	assert_true(itm_method_is_default());
	setenv("ITM_DEFAULT_METHOD", "serial", 1);
	assert_false(itm_method_is_default());
	assert_int_equal(method_with("  gl_wt "), ITM_METHOD_GLOBAL_LOCK);
}

TEST(what_is_no_name_leaves_the_default)
{
	static const char *const texts[] = {"", " ", "ml", "ml_wtx", "serialirr_", "htm ml_wt", "ML_WT"};
	unsetenv("ITM_DEFAULT_METHOD");
	assert_int_equal(itm_method_read(), default_method());
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_int_equal(method_with(texts[i]), default_method());
}

/* ---- the layout ---- */

static uint64_t variable[8];
static const uint64_t constant[8] = {1};

static struct native_module module;

static void set_up(void)
{
	module = native_module_find(variable);
	module.build_id_len = 3;
	memcpy(module.build_id, "\x05\xe5\xfc", 3);
}

static const struct test_fixture fixture = {.set_up = set_up};

static uintptr_t offset_of(const void *address)
{
	return (uintptr_t)address - module.start;
}

/* All members, at places that can be read. */
static const char *whole(void)
{
	static char text[256];
	uintptr_t at = offset_of(variable);
	snprintf(text, sizeof text, "id=05e5fc,counters=108,commits=%jx,locks=%jx,dispatch=%jx,serial=%jx",
		(uintmax_t)at, (uintmax_t)at + 8, (uintmax_t)at + 16, (uintmax_t)at + 28);
	return text;
}

static void expect_nothing(const char *text)
{
	struct itm_layout layout = itm_layout_read(text, &module);
	static const struct itm_layout nothing;
	if (memcmp(&layout, &nothing, sizeof nothing) != 0)
		fail_msg("believed: '%s'", text != NULL ? text : "(null)");
}

TEST_WITH(fixture, what_is_told_of_this_libitm_is_believed)
{
	struct itm_layout layout = itm_layout_read(whole(), &module);
	assert_int_equal(layout.counters, 0x108);
	assert_int_equal(layout.commits, offset_of(&variable[0]));
	assert_int_equal(layout.locks, offset_of(&variable[1]));
	assert_int_equal(layout.dispatch, offset_of(&variable[2]));
	assert_int_equal(layout.serial, offset_of(&variable[3]) + 4);
}

TEST_WITH(fixture, what_is_told_of_another_one_is_not)
{
	expect_nothing(NULL);
	expect_nothing("");
	expect_nothing("none");
	expect_nothing("id=,counters=108");
	expect_nothing("id=05e5,counters=108");
	expect_nothing("id=05e5fc00,counters=108");
	expect_nothing("id=05e5fd,counters=108");
	expect_nothing("id=05E5FC,counters=108");
	expect_nothing("counters=108,id=05e5fc");
	module.build_id_len = 0;
	expect_nothing("id=,counters=108");
	module.build_id_len = 2;
	expect_nothing("id=05e5fc,counters=108");
}

TEST_WITH(fixture, each_piece_is_known_by_itself)
{
	itm_layout_use(&(struct itm_layout){.counters = 0x108});
	assert_true(itm_counters_are_known());
	struct itm_locks locks = itm_locks_of(&module);
	assert_null(locks.commit_count);
	assert_null(locks.table);
	assert_null(locks.dispatch);
	assert_null(locks.serial);
	itm_layout_use(&(struct itm_layout){.commits = offset_of(variable)});
	assert_false(itm_counters_are_known());
	assert_ptr_equal(itm_locks_of(&module).commit_count, variable);
	assert_null(itm_locks_of(&module).table);
	assert_int_equal(itm_layout_read("id=05e5fc,counters=110", &module).counters, 0x110);
	assert_int_equal(itm_layout_read("id=05e5fc,counters=110", &module).locks, 0);
}

TEST_WITH(fixture, the_counters_stand_where_they_were_found)
{
	itm_layout_use(&(struct itm_layout){.counters = 0x10});
	assert_ptr_equal(itm_counters_of((const char *)variable), &variable[2]);
	assert_null(itm_counters_of(NULL));
}

TEST_WITH(fixture, an_offset_that_leads_elsewhere_is_refused_with_all_the_rest)
{
	char text[256];
	const struct {
		const char *key;
		uintptr_t offset;
	} rows[] = {
		{"counters", 0x10a},
		{"counters", ITM_STRUCT_MAX},
		{"counters", ITM_STRUCT_MAX - 36},
		{"commits", offset_of(variable) + 4},
		{"commits", offset_of(constant)},
		{"locks", module.end - module.start},
		{"locks", offset_of(variable) + 1},
		{"locks", 8},
		{"serial", offset_of(variable) + 2},
		{"serial", UINT32_MAX - 3},
		{"dispatch", offset_of(variable) + 4},
		{"dispatch", UINTPTR_MAX - 7},
		{"commits", (uintptr_t)0 - module.start},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(text, sizeof text, "id=05e5fc,%s=%jx", rows[i].key, (uintmax_t)rows[i].offset);
		expect_nothing(text);
	}
}

TEST_WITH(fixture, what_is_no_such_text_is_refused)
{
	static const char *const bad[] = {"id=05e5fc,", "id=05e5fc,counters",
		"id=05e5fc,counters=", "id=05e5fc,counters=0", "id=05e5fc,counters=108,",
		"id=05e5fc,counters=108,counters=108", "id=05e5fc,counters=108 ", "id=05e5fc,counters=0x108",
		"id=05e5fc,counters=-8", "id=05e5fc,other=8", "id=05e5fccounters=108",
		"id=05e5fc,counters=00000000000000000000000000000000108g"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		expect_nothing(bad[i]);
}

/* Random text: if it is accepted, the places can be read. */
TEST_WITH(fixture, with_any_byte_changed_nothing_is_believed_that_cannot_be_read)
{
	char text[256];
	size_t len = strlen(whole());
	for (size_t i = 0; i < len; i++) {
		for (int byte = 0; byte < 256; byte++) {
			strcpy(text, whole());
			text[i] = (char)byte;
			struct itm_layout layout = itm_layout_read(text, &module);
			assert_true(layout.counters + ITM_REASONS * sizeof(uint32_t) <= ITM_STRUCT_MAX);
			const uintptr_t offsets[] = {layout.commits, layout.locks, layout.dispatch, layout.serial};
			for (size_t j = 0; j < 4; j++)
				assert_true(offsets[j] == 0 ||
					    (offsets[j] % 4 == 0 &&
						    native_module_is_writable(module.start + offsets[j], 4)));
		}
	}
	for (size_t i = 0; i < len; i++) {
		snprintf(text, sizeof text, "%.*s", (int)i, whole());
		(void)itm_layout_read(text, &module);
	}
}

TEST(a_table_that_is_not_there_is_none)
{
	const size_t size = ITM_LOCKS * sizeof(AO_t);
	char *memory = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(memory != MAP_FAILED);
	const volatile AO_t *table = (const volatile AO_t *)(void *)memory;
	assert_int_equal(munmap(memory + size, size), 0);
	errno = 7;
	assert_ptr_equal(itm_table_look(table), table);
	assert_true(itm_table_seen == (AO_t)table);
	assert_null(itm_table_look(table + 1)); /* its end is not there */
	assert_null(itm_table_look(NULL));
	assert_null(itm_table_look((const volatile AO_t *)(UINTPTR_MAX - 7)));
	assert_null(itm_table_look((const volatile AO_t *)((uintptr_t)table + 4)));
	assert_int_equal(errno, 7);
	assert_true(itm_table_seen == (AO_t)table);
	assert_int_equal(munmap(memory + size / 2, 4096), 0);
	assert_null(itm_table_look(table)); /* nor is a page in the middle */
	assert_int_equal(munmap(memory, size), 0);
	assert_null(itm_table_look(table));
}

/* libitm frees its table, and allocates another one, where threads begin and end. */
TEST(a_further_table_is_looked_at_outside_of_transactions)
{
	static AO_t first[ITM_LOCKS], further[ITM_LOCKS];
	AO_store(&itm_table_seen, 0);
	assert_ptr_equal(itm_table_first(first), first);
	assert_null(itm_table_first(further));
	assert_true(itm_table_seen == (AO_t)first && itm_table_new == (AO_t)further);
	itm_table_look_at_new();
	assert_true(itm_table_seen == (AO_t)further && itm_table_new == 0);
}
