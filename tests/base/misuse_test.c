/* SPDX-License-Identifier: MIT
 * Structures of callers whose headers know fewer members than the library, or more. Behind each stands a canary. */
#include "misuse.h"

#include "test.h"

#define CANARY 0xa5

/* A structure of eight bytes is copied into so many bytes. */
static void assert_copied(size_t size)
{
	static const unsigned char from[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	unsigned char to[16];
	memset(to, CANARY, sizeof to);
	sized_copy(to, size, from, sizeof from);
	for (size_t i = 0; i < sizeof to; i++) {
		unsigned char copied = i < sizeof from ? from[i] : 0;
		assert_int_equal(to[i], i < size ? copied : CANARY);
	}
}

TEST(a_structure_of_the_same_size_is_copied_whole)
{
	assert_copied(8);
}

TEST(a_smaller_one_gets_as_many_bytes_as_it_has)
{
	for (size_t size = 0; size < 8; size++)
		assert_copied(size);
}

TEST(what_only_a_larger_one_has_becomes_0)
{
	for (size_t size = 9; size < 16; size++)
		assert_copied(size);
}
