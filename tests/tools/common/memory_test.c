/* SPDX-License-Identifier: MIT
 * Memory that grows, and the end of the command without any. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture_stderr.h"
#include "diag.h"
#include "memory.h"
#include "child.h"
#include "test.h"

static char told[4096];

/* Otherwise the sanitizers themselves end a process that asks for too much. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__tsan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static volatile size_t too_many = SIZE_MAX / 4;

static void takes_too_much(void)
{
	memory_zeroed(too_many, 8);
}

static void reserves_too_much(void)
{
	size_t cap = 0;
	memory_reserved(NULL, too_many, &cap, 8);
}

TEST(without_memory_the_command_ends)
{
	assert_int_equal(child_tells(takes_too_much, told, sizeof told), STATUS_UNUSABLE);
	assert_non_null(strstr(told, "stmlog: out of memory\n"));
	assert_int_equal(child_tells(reserves_too_much, told, sizeof told), STATUS_UNUSABLE);
	assert_non_null(strstr(told, "stmlog: out of memory\n"));
}

TEST(an_array_grows_to_twice_its_size)
{
	size_t cap = 0;
	int *array = NULL;
	for (int i = 0; i < 100; i++) {
		array = memory_grown(array, (size_t)i, &cap, sizeof *array);
		array[i] = i;
	}
	assert_int_equal(cap, 128);
	for (int i = 0; i < 100; i++)
		assert_int_equal(array[i], i);
	assert_ptr_equal(memory_reserved(array, 128, &cap, sizeof *array), array);
	array = memory_reserved(array, 1000, &cap, sizeof *array);
	assert_int_equal(cap, 1000);
	assert_int_equal(array[99], 99);
	free(array);
}

TEST(nothing_is_memory_too)
{
	char *nothing = memory_zeroed(0, 8), *text = memory_format("%d%s", 1, "2");
	assert_non_null(nothing);
	assert_string_equal(text, "12");
	memory_free(nothing);
	memory_free(text);
	memory_free(NULL);
}
