/* SPDX-License-Identifier: MIT
 * tests/ghc/flavours.sh has libraries with an RTS. */
#include "hidden.h"
#include "test.h"

TEST(a_library_without_an_rts_has_no_functions_of_it)
{
	OWNED(library_close) struct library library;
	uintptr_t addresses[PLACES] = {0};
	assert_true(library_open(&library, "libc.so"));
	assert_false(hidden_find(&library, false, addresses));
	assert_false(hidden_find(&library, true, addresses));
}
