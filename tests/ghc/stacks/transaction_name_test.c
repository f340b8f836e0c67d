/* SPDX-License-Identifier: MIT
 * Names of transactions, read from frames like that of the function behind atomicallyNamed. */
#include "transaction_name.h"

#include <string.h>

#include "fake_objects.h"
#include "test.h"

static void set_up(void)
{
	transaction_names = true;
}

/* The numbers of names are never freed. */
static void tear_down(void)
{
	transaction_names = false;
	fake_objects_free();
}

static const struct test_fixture name_fixture = {set_up, tear_down};

/* An info table with the name of its constructor behind it. */
struct named_info {
	struct fake_info info;
	char name[40];
};
#define CONSTRUCTOR(pointers, text)                                                                  \
	{                                                                                            \
		.info = {.description = sizeof(struct fake_info) - offsetof(struct fake_info, code), \
			.layout = (pointers),                                                        \
			.type = HS_CONSTR},                                                          \
		.name = (text)                                                                       \
	}
static const struct named_info cons = CONSTRUCTOR(2, "ghc-prim:GHC.Types.:"),
			       nil = CONSTRUCTOR(0, "ghc-prim:GHC.Types.[]"),
			       character = CONSTRUCTOR(0, "ghc-prim:GHC.Types.C#"),
			       transaction = CONSTRUCTOR(1, "main:StmlogNames.StmlogTransaction"),
			       other = CONSTRUCTOR(1, "main:Main.NoStmlogTransaction");
static const struct fake_info thunk = FAKE_INFO(16, 0), black_hole = FAKE_INFO(HS_BLACKHOLE, 1);
/* Three words, of which the second one is no pointer. */
static const struct fake_info small = FAKE_INFO(FAKE_RET_SMALL, 3 | 2 << 6), big = FAKE_INFO(HS_RET_BIG, 3 | 2 << 6);

static uintptr_t closure(const struct fake_info *info, size_t len, uintptr_t first, uintptr_t second)
{
	return (uintptr_t)fake_closure(info, len, (const uintptr_t[]){first, second});
}

/* The characters in front of the end. */
static uintptr_t string(const uint32_t *characters, uintptr_t end)
{
	size_t len = 0;
	while (characters[len] != 0)
		len++;
	while (len-- > 0)
		end = closure(&cons.info, 2, closure(&character.info, 1, characters[len], 0) + 1, end) + 2;
	return end;
}

static uintptr_t end(void)
{
	return closure(&nil.info, 0, 0, 0) + 1;
}

/* The number of the name in a frame of this form, whose last word is this constructor with the string. */
static uintptr_t number_in(const struct fake_info *frame, const struct named_info *name, uintptr_t text)
{
	const uintptr_t words[] = {
		fake_info(frame), closure(&character.info, 1, 'x', 0), 3, closure(&name->info, 1, text, 0) + 1};
	return transaction_name(words);
}

static void assert_name(uintptr_t number, const char *expected)
{
	struct tb_place place;
	assert_int_not_equal(number, 0);
	assert_true(tb_code_place(transaction_site(number), &place));
	assert_string_equal(place.function, expected);
	assert_int_equal(place.line, 0);
}

TEST_WITH(name_fixture, a_name_is_read_from_the_frame)
{
	assert_name(number_in(&small, &transaction, string(U"save", end())), "save");
	assert_name(number_in(&small, &transaction, string(U"a\u00fc\u20ac\U0001f600", end())),
		"a\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST_WITH(name_fixture, a_name_is_as_long_as_is_evaluated)
{
	uintptr_t rest = closure(&black_hole, 1, string(U"de", closure(&thunk, 1, 0, 0)), 0);
	assert_name(number_in(&small, &transaction, string(U"abc", rest)), "abcde");
}

TEST_WITH(name_fixture, a_name_of_63_bytes_is_whole)
{
	uint32_t text[66] = {0};
	char expected[66] = "";
	for (size_t i = 0; i < 64; i++) {
		text[i] = 'a';
		expected[i] = i < 63 ? 'a' : '\0';
		if (i >= 62)
			assert_name(number_in(&small, &transaction, string(text, end())), expected);
	}
}

TEST_WITH(name_fixture, other_frames_have_no_name)
{
	uintptr_t text = string(U"save", end());
	assert_int_equal(number_in(&small, &other, text), 0);
	assert_int_equal(number_in(&big, &transaction, text), 0);
	assert_int_equal(number_in(&small, &transaction, end()), 0);
	assert_int_equal(transaction_name(NULL), 0);
}

TEST_WITH(name_fixture, no_name_is_looked_for_until_the_program_gives_some)
{
	transaction_names = false;
	assert_int_equal(number_in(&small, &transaction, string(U"save", end())), 0);
}

TEST(other_words_are_addresses)
{
	assert_int_equal(transaction_site(0x400000).code, TB_CODE_ADDRESS);
	assert_int_equal(transaction_site(0x400000).position, 0x400000);
}
