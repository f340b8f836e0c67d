/* SPDX-License-Identifier: MIT
 * Pointing slots at one of two functions, in the test's own modules. The functions are those of libc that tell the
 * process and its parent. */

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "slots.h"
#include "test.h"

enum { FOUND, OTHER };

static pid_t other(void)
{
	return -4711;
}

static const void *address_of(pid_t (*function)(void))
{
	return (const void *)(uintptr_t)function;
}

static const void *found(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

/* Through the procedure linkage table; and through a slot of the global offset table, which is read-only. */
static __attribute__((noinline)) pid_t by_linkage_table(void)
{
	return getpid();
}

extern __attribute__((noplt)) pid_t getpgrp(void);

static __attribute__((noinline)) pid_t by_offset_table(void)
{
	return getpgrp();
}

static __attribute__((noinline)) pid_t bound_to_the_other(void)
{
	return getppid();
}

static __attribute__((noinline)) uid_t without_choice(void)
{
	return getuid();
}

/* One table for the whole process. The loader binds getppid() to the second of its two; getuid() has only one.
 * Those of free() tell whether the slots of a module are known. */
static struct native_slot_choice table[] = {
	{"getpid", {NULL}}, {"getpgrp", {NULL}}, {"getppid", {NULL}}, {"getuid", {NULL}}, {"free", {NULL}}};
#define LEN (sizeof table / sizeof *table)

static void set_up(void)
{
	for (size_t i = 0; i < LEN; i++) {
		table[i].functions[FOUND] = found(table[i].name);
		table[i].functions[OTHER] = address_of(other);
	}
	table[2].functions[FOUND] = address_of(other);
	table[2].functions[OTHER] = found("getppid");
	table[3].functions[OTHER] = NULL;
	table[4].functions[OTHER] = table[4].functions[FOUND];
}

static void tear_down(void)
{
	native_slots_point(table, LEN, FOUND);
}

static const struct test_fixture slots_fixture = {set_up, tear_down};

/* To be the first test: nothing has called getpid() yet. With LD_BIND_NOW it is bound all the same. */
TEST_WITH(slots_fixture, a_slot_that_is_not_bound_yet_is_left_to_the_loader)
{
	assert_true(native_slots_point(table, LEN, OTHER));
	(void)by_linkage_table();
	assert_true(native_slots_point(table, LEN, OTHER));
	assert_int_equal(by_linkage_table(), -4711);
}

TEST_WITH(slots_fixture, slots_are_pointed_away_and_back)
{
	pid_t own = by_linkage_table(), group = by_offset_table();
	assert_int_not_equal(own, -4711);
	for (int i = 0; i < 3; i++) {
		assert_true(native_slots_point(table, LEN, OTHER));
		assert_int_equal(by_linkage_table(), -4711);
		assert_int_equal(by_offset_table(), -4711);
		assert_true(native_slots_point(table, LEN, FOUND));
		assert_int_equal(by_linkage_table(), own);
		assert_int_equal(by_offset_table(), group);
	}
}

/* Of the page of an address, as the kernel shows it: "r--p". */
static void permissions_at(uintptr_t address, char permissions[5])
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned long start, end;
	permissions[0] = '\0';
	while (fgets(line, sizeof line, maps) != NULL)
		if (sscanf(line, "%lx-%lx %4s", &start, &end, permissions) == 3 && address >= start && address < end)
			break;
	fclose(maps);
}

/* The slot is found by its instruction: call *slot(%rip), or jmp. */
static uintptr_t slot_of(const void *function)
{
	const uint8_t *code = function;
	for (int i = 0; i < 32; i++)
		if (code[i] == 0xff && (code[i + 1] == 0x15 || code[i + 1] == 0x25))
			return (uintptr_t)(code + i + 6) + (uintptr_t)(intptr_t)(int32_t)((uint32_t)code[i + 2] |
											  (uint32_t)code[i + 3] << 8 |
											  (uint32_t)code[i + 4] << 16 |
											  (uint32_t)code[i + 5] << 24);
	return 0;
}

TEST_WITH(slots_fixture, pages_that_were_read_only_are_so_again)
{
	char before[5], after[5];
	uintptr_t slot = slot_of(address_of(by_offset_table));
	if (slot == 0)
		skip();
	permissions_at(slot, before);
	if (before[1] == 'w')
		skip(); /* linked without -z relro */
	assert_true(native_slots_point(table, LEN, OTHER));
	permissions_at(slot, after);
	assert_string_equal(after, before);
	assert_int_equal(by_offset_table(), -4711);
}

/* It was not pointed there by an earlier call. */
TEST_WITH(slots_fixture, a_slot_that_the_loader_has_bound_to_the_second_function_is_left_alone)
{
	pid_t parent = bound_to_the_other();
	assert_int_equal(parent, getppid());
	for (unsigned which = 0; which < 2; which++) {
		assert_true(native_slots_point(table, LEN, which));
		assert_int_equal(bound_to_the_other(), parent);
	}
}

TEST_WITH(slots_fixture, a_function_without_a_choice_keeps_its_slots)
{
	uid_t user = without_choice();
	for (unsigned which = 0; which < 2; which++) {
		assert_true(native_slots_point(table, LEN, which));
		assert_int_equal(without_choice(), user);
	}
}

/* ---- modules ---- */

TEST_WITH(slots_fixture, slots_of_modules_that_come_and_go_are_found_and_forgotten)
{
	assert_true(native_slots_point(table, LEN, FOUND));
	size_t before = native_slots_known();
	void *module = dlopen("libitm.so.1", RTLD_NOW | RTLD_LOCAL);
	if (module == NULL)
		skip(); /* not installed */
	assert_true(native_slots_point(table, LEN, FOUND));
	assert_true(native_slots_known() > before);
	dlclose(module);
	for (unsigned i = 0; i < 3; i++)
		assert_true(native_slots_point(table, LEN, i % 2));
	assert_int_equal(native_slots_known(), before);
	(void)by_linkage_table();
	assert_true(native_slots_point(table, LEN, OTHER));
	assert_int_equal(by_linkage_table(), -4711);
}

/* ---- threads ---- */

static atomic_bool is_over;

static void *call(void *wrong)
{
	pid_t own = *(pid_t *)wrong;
	while (!is_over)
		for (int i = 0; i < 1000; i++) {
			pid_t pid = by_linkage_table();
			if (pid != own && pid != -4711)
				*(pid_t *)wrong = 0;
		}
	return NULL;
}

TEST_WITH(slots_fixture, threads_that_call_meanwhile_reach_one_of_the_two)
{
	pid_t own = by_linkage_table(), seen = own;
	pthread_t thread;
	is_over = false;
	pthread_create(&thread, NULL, call, &seen);
	for (unsigned i = 0; i < 2000; i++)
		assert_true(native_slots_point(table, LEN, i % 2));
	is_over = true;
	pthread_join(thread, NULL);
	assert_int_equal(seen, own);
}
