/* SPDX-License-Identifier: MIT
 * Each function against its definition, for all small sizes and offsets. The compiler is kept from calls of its own, so
 * that the tests call the functions; where a sanitizer looks on, they are libc's. */
#include <string.h>

#include "test.h"

enum { BYTES = 64, SIZES = 24 };

static void fill(unsigned char *bytes, unsigned first)
{
	for (unsigned i = 0; i < BYTES; i++)
		bytes[i] = (unsigned char)(first + i);
}

/* All bytes are as in `before`, except that `size` bytes from `to` on are those of `from`. */
static void assert_copied(
	const unsigned char *bytes, size_t to, const unsigned char *before, const unsigned char *from, size_t size)
{
	for (size_t i = 0; i < BYTES; i++)
		assert_int_equal(bytes[i], i - to < size ? from[i - to] : before[i]);
}

TEST(memcpy_copies_so_many_bytes)
{
	for (size_t size = 0; size < SIZES; size++)
		for (size_t to = 0; to < 8; to++) {
			unsigned char bytes[BYTES], before[BYTES], from[BYTES];
			fill(bytes, 1);
			fill(before, 1);
			fill(from, 100);
			assert_ptr_equal(memcpy(bytes + to, from + 3, size), bytes + to);
			assert_copied(bytes, to, before, from + 3, size);
		}
}

TEST(memmove_copies_what_was_there_before)
{
	for (size_t size = 0; size < SIZES; size++)
		for (size_t to = 0; to < BYTES - SIZES; to++) {
			unsigned char bytes[BYTES], before[BYTES];
			fill(bytes, 1);
			fill(before, 1);
			assert_ptr_equal(memmove(bytes + to, bytes + 20, size), bytes + to);
			assert_copied(bytes, to, before, before + 20, size);
		}
}

TEST(memset_sets_so_many_bytes)
{
	for (size_t size = 0; size < SIZES; size++)
		for (size_t to = 0; to < 8; to++) {
			unsigned char bytes[BYTES], before[BYTES], from[BYTES];
			fill(bytes, 1);
			fill(before, 1);
			for (unsigned i = 0; i < BYTES; i++)
				from[i] = 0xfe;
			assert_ptr_equal(memset(bytes + to, 0x1fe, size), bytes + to);
			assert_copied(bytes, to, before, from, size);
		}
}

static int sign(int value)
{
	return (value > 0) - (value < 0);
}

TEST(memcmp_compares_the_first_byte_that_differs_as_unsigned)
{
	for (size_t size = 0; size < SIZES; size++)
		for (size_t at = 0; at < SIZES; at++) {
			unsigned char a[BYTES], b[BYTES];
			fill(a, 100);
			fill(b, 100);
			b[at] = 0xff;
			b[at + 1] = 0;
			assert_int_equal(sign(memcmp(a, b, size)), at < size ? -1 : 0);
			assert_int_equal(sign(memcmp(b, a, size)), at < size ? 1 : 0);
		}
}

TEST(lengths_end_at_the_zero_or_the_maximum)
{
	static const char *volatile text = "seven\xff!";
	static const char *volatile empty = "";
	assert_int_equal(strlen(text), 7);
	assert_int_equal(strlen(empty), 0);
	assert_int_equal(strnlen(text, 3), 3);
	assert_int_equal(strnlen(text, 7), 7);
	assert_int_equal(strnlen(text, 100), 7);
}

/* strcmp(), and strncmp() with a size that includes the zeros, say this. */
static void assert_order(const char *a, const char *b, int order)
{
	assert_int_equal(sign(strcmp(a, b)), order);
	assert_int_equal(sign(strcmp(b, a)), -order);
	assert_int_equal(sign(strncmp(a, b, 100)), order);
	assert_int_equal(sign(strncmp(b, a, 100)), -order);
}

TEST(texts_are_in_the_order_of_their_unsigned_bytes)
{
	assert_order("", "", 0);
	assert_order("same", "same", 0);
	assert_order("", "a", -1);
	assert_order("ab", "abc", -1);
	assert_order("az", "b", -1);
	assert_order("z", "\xff", -1);
}

TEST(strncmp_looks_at_so_many_bytes)
{
	static const char *volatile text = "abcd";
	assert_int_equal(strncmp(text, "abXX", 2), 0);
	assert_true(strncmp(text, "abXX", 3) > 0);
	assert_int_equal(strncmp(text, "X", 0), 0);
}

TEST(a_letter_is_found_from_both_ends)
{
	static const char *volatile text = "a/b/c";
	assert_ptr_equal(strchr(text, '/'), text + 1);
	assert_ptr_equal(strrchr(text, '/'), text + 3);
	assert_null(strchr(text, 'x'));
	assert_null(strrchr(text, 'x'));
	assert_ptr_equal(strchr(text, '\0'), text + 5);
	assert_ptr_equal(strrchr(text, '\0'), text + 5);
}
