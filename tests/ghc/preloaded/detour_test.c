/* SPDX-License-Identifier: MIT
 * Finds calls in code that is written here, and leads them elsewhere. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "child.h"
#include "detour.h"
#include "test.h"

#define BYTES 8192
#define CALL_BYTES 5
#define FUNCTION 0   /* returns 1 */
#define CALLER 64    /* calls it */
#define DISTANCE 128 /* loads its address by a distance, and jumps there */
#define NUMBER 192   /* loads its address as a number, and jumps there */
#define BORDER 4089  /* a caller whose call lies in two pages */
#define ACROSS (BORDER + 4)

static void put_call(unsigned char *code, size_t at, size_t target)
{
	int32_t distance = (int32_t)(target - at - CALL_BYTES);
	code[at] = 0xe8;
	memcpy(code + at + 1, &distance, sizeof distance);
}

/* sub $8,%rsp; call FUNCTION; add $8,%rsp; ret */
static void put_caller(unsigned char *code, size_t at)
{
	memcpy(code + at, "\x48\x83\xec\x08", 4);
	put_call(code, at + 4, FUNCTION);
	memcpy(code + at + 4 + CALL_BYTES, "\x48\x83\xc4\x08\xc3", 5);
}

/* An instruction that loads rax, and has this operand; jmp *%rax */
static void put_loader(unsigned char *code, size_t at, const char *load, size_t len, int32_t operand)
{
	memcpy(code + at, load, len);
	memcpy(code + at + len, &operand, sizeof operand);
	memcpy(code + at + len + sizeof operand, "\xff\xe0", 2);
}

static unsigned char *mapped;

static void set_up(void)
{
	mapped = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	memset(mapped, 0xcc, BYTES);
	memcpy(mapped + FUNCTION, "\xb8\x01\x00\x00\x00\xc3", 6); /* mov $1,%eax; ret */
	put_caller(mapped, CALLER);
	put_caller(mapped, BORDER);
	put_loader(mapped, DISTANCE, "\x48\x8d\x05", 3, FUNCTION - (DISTANCE + 7));     /* lea FUNCTION(%rip),%rax */
	put_loader(mapped, NUMBER, "\xb8", 1, (int32_t)(uintptr_t)(mapped + FUNCTION)); /* mov $FUNCTION,%eax */
	assert_int_equal(mprotect(mapped, BYTES, PROT_READ | PROT_EXEC), 0);
}

static void tear_down(void)
{
	assert_int_equal(munmap(mapped, BYTES), 0);
}

static const struct test_fixture fixture = {set_up, tear_down};

static int hook(void)
{
	return 2;
}

static int run(const unsigned char *code, size_t at)
{
	const void *address = code + at;
	int (*function)(void);
	memcpy(&function, &address, sizeof function);
	return function();
}

static struct calls calls_in(unsigned char *code, size_t size)
{
	struct calls calls = {.len = 0};
	calls_find(&calls, code, size, (const uintptr_t[]){1, (uintptr_t)(code + FUNCTION)}, 2);
	return calls;
}

TEST_WITH(fixture, the_calls_of_the_functions_are_found_and_counted)
{
	struct calls calls = calls_in(mapped, BYTES);
	assert_int_equal(calls.len, 2);
	assert_int_equal(calls_of(&calls, 0), 0);
	assert_int_equal(calls_of(&calls, 1), 2);
	assert_ptr_equal(calls.calls[0].operand, mapped + CALLER + 5);
	assert_ptr_equal(calls.calls[1].operand, mapped + ACROSS + 1);
}

TEST_WITH(fixture, a_call_that_is_cut_is_none)
{
	assert_int_equal(calls_in(mapped, CALLER + 4 + CALL_BYTES).len, 1);
	assert_int_equal(calls_in(mapped, CALLER + 4 + CALL_BYTES - 1).len, 0);
	assert_int_equal(calls_in(mapped, 0).len, 0);
}

TEST(more_calls_than_can_be_noted_are_counted)
{
	static unsigned char code[(CALLS_MAX + 2) * CALL_BYTES];
	for (size_t i = 0; i < CALLS_MAX + 2; i++)
		put_call(code, i * CALL_BYTES, 0);
	struct calls calls = {.len = 0};
	calls_find(&calls, code, sizeof code, (const uintptr_t[]){(uintptr_t)code}, 1);
	assert_int_equal(calls.len, CALLS_MAX + 2);
	assert_int_equal(calls_of(&calls, 0), CALLS_MAX);
}

/* Whether the process has memory that can be written and run. */
static bool has_writable_code(void)
{
	char line[512];
	bool is_found = false;
	FILE *maps = fopen("/proc/self/maps", "r");
	assert_non_null(maps);
	while (fgets(line, sizeof line, maps) != NULL)
		is_found |= strstr(line, " rwx") != NULL;
	fclose(maps);
	return is_found;
}

TEST_WITH(fixture, calls_are_led_to_the_hooks_and_code_stays_read_only)
{
	struct calls calls = calls_in(mapped, BYTES);
	int (*function)(void) = hook;
	const void *hooks[] = {NULL, NULL};
	memcpy(&hooks[1], &function, sizeof function);
	bool had_writable_code = has_writable_code(); /* valgrind has */
	assert_int_equal(run(mapped, CALLER), 1);
	assert_int_equal(run(mapped, BORDER), 1);
	assert_true(detour_redirect(&calls, hooks, 2));
	assert_int_equal(run(mapped, CALLER), 2);
	assert_int_equal(run(mapped, BORDER), 2);
	assert_int_equal(run(mapped, FUNCTION), 1);
	assert_true(has_writable_code() == had_writable_code);
}

TEST_WITH(fixture, loaded_addresses_are_found_apart_and_led_to_the_hooks)
{
	struct calls calls = {.len = 0};
	int (*function)(void) = hook;
	const void *hooks[1];
	memcpy(hooks, &function, sizeof function);
	calls_find_loads(&calls, mapped, BYTES, (const uintptr_t[]){(uintptr_t)(mapped + FUNCTION)}, 1);
	assert_int_equal(calls.len, 2);
	assert_int_equal(run(mapped, DISTANCE), 1);
	assert_int_equal(run(mapped, NUMBER), 1);
	assert_true(detour_redirect(&calls, hooks, 1));
	assert_int_equal(run(mapped, DISTANCE), 2);
	assert_int_equal(run(mapped, NUMBER), 2);
	assert_int_equal(run(mapped, CALLER), 1);
}

TEST_WITH(fixture, a_load_that_is_cut_is_none)
{
	struct calls calls = {.len = 0};
	calls_find_loads(&calls, mapped, NUMBER + 4, (const uintptr_t[]){(uintptr_t)(mapped + FUNCTION)}, 1);
	assert_int_equal(calls.len, 1);
	calls_find_loads(&calls, mapped, 0, (const uintptr_t[]){(uintptr_t)(mapped + FUNCTION)}, 1);
	assert_int_equal(calls.len, 1);
}

TEST_WITH(fixture, calls_that_are_too_far_away_are_left)
{
	struct calls calls = calls_in(mapped, BYTES);
	unsigned char far[CALL_BYTES] = {0xe8, 1, 2, 3, 4}; /* on the stack */
	const void *const hooks[] = {NULL, NULL};
	calls.calls[1].operand = far + 1;
	assert_false(detour_redirect(&calls, hooks, 2));
	assert_int_equal(run(mapped, CALLER), 1);
	assert_memory_equal(far, "\xe8\x01\x02\x03\x04", CALL_BYTES);
}

TEST_WITH(fixture, calls_in_memory_that_is_not_there_are_left)
{
	struct calls calls = calls_in(mapped, BYTES);
	const void *const hooks[] = {NULL, NULL};
	calls.calls[1].operand = (unsigned char *)16;
	assert_false(detour_redirect(&calls, hooks, 2));
	assert_int_equal(run(mapped, CALLER), 1);
}

TEST_STOPPED("detour.c", more_calls_than_were_noted_are_a_broken_requirement)
{
	struct calls calls = {.len = CALLS_MAX + 1};
	detour_redirect(&calls, NULL, 0);
}
