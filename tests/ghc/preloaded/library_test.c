/* SPDX-License-Identifier: MIT
 * Looks into the C library of this process. */
#include <gnu/libc-version.h>
#include <string.h>

#include "library.h"
#include "test.h"

static struct library library;

static void set_up(void)
{
	assert_true(library_open(&library, "libc.so"));
}

static void tear_down(void)
{
	library_close(&library);
}

static const struct test_fixture fixture = {set_up, tear_down};

TEST_WITH(fixture, exported_symbols_are_found_and_no_others)
{
	const char *(*function)(void) = gnu_get_libc_version; /* nothing stands before it */
	uintptr_t address;
	memcpy(&address, &function, sizeof address);
	assert_true(library_symbol(&library, "gnu_get_libc_version") == address);
	assert_true(library_symbol(&library, "no such name") == 0);
	assert_true(library_symbol(&library, "") == 0);
	assert_true(address - (uintptr_t)library.code < library.code_size);
}

TEST_WITH(fixture, a_function_is_found_by_each_of_its_addresses)
{
	uintptr_t start = library_symbol(&library, "qsort");
	struct library_span span = library_function(&library, start);
	assert_true(span.start == start);
	assert_true(span.end > start);
	assert_true(library_function(&library, span.end - 1).start == start);
	assert_true(library_function(&library, span.end).start != start);
	assert_true(library_function(&library, start - 1).start != start);
}

TEST_WITH(fixture, before_the_first_function_and_behind_the_last_one_there_is_none)
{
	assert_true(library_function(&library, 0).end == 0);
	assert_true(library_function(&library, UINTPTR_MAX).end == 0);
	assert_true(library_function(&library, (uintptr_t)library.code + library.code_size).end == 0);
}

TEST(a_library_that_the_process_does_not_have_is_not_opened)
{
	struct library none;
	assert_false(library_open(&none, "libHSrts"));
	assert_false(library_open(&none, "c.so"));
}

/* tests/ghc/flavours.sh has libraries with an RTS. */
TEST(a_library_without_an_rts_has_no_functions_of_it)
{
	OWNED(library_close) struct library libc;
	uintptr_t addresses[PLACES] = {0};
	assert_true(library_open(&libc, "libc.so"));
	assert_false(hidden_find(&libc, false, addresses));
	assert_false(hidden_find(&libc, true, addresses));
}
