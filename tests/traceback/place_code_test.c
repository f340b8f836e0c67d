/* SPDX-License-Identifier: MIT
 * Pieces of code have numbers that mean their texts for ever. */
#include "fixture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <stmlog/traceback.h>

#include "mem.h"

static void expect(uintptr_t code, uintptr_t position, const char *function, const char *file)
{
	struct tb_place place;
	assert_true(tb_code_place(tb_site_make(code, position), &place));
	assert_string_equal(place.function, function);
	assert_string_equal(place.file, file);
	assert_int_equal(place.line, position);
}

/* The first test, because the tables are allocated once. */
TEST(without_memory_for_the_tables_code_is_unknown_and_counted)
{
	uint64_t before = tb_codes_lost();
	mem_fail_at(1);
	errno = 77;
	assert_true(tb_code_intern("first", "memory.py") == TB_CODE_UNKNOWN);
	assert_int_equal(errno, 77);
	assert_int_equal(tb_codes_lost(), before + 1);
	expect(TB_CODE_UNKNOWN, 9, "unknown code", "");
	expect(tb_code_intern("first", "memory.py"), 1, "first", "memory.py");
}

TEST(a_site_has_its_texts_when_the_strings_are_gone)
{
	char function[] = "transfer", file[] = "bank.py";
	uintptr_t code = tb_code_intern(function, file);
	memset(function, 'x', sizeof function);
	memset(file, 'x', sizeof file);
	expect(code, 61, "transfer", "bank.py");
	expect(code, 62, "transfer", "bank.py");
}

TEST(equal_texts_have_one_number_and_others_another)
{
	char again[] = "audit";
	uintptr_t audit = tb_code_intern("audit", "bank.py");
	assert_true(audit == tb_code_intern(again, "bank.py"));
	assert_true(audit != tb_code_intern("audit", "shop.py"));
	assert_true(audit != tb_code_intern("bank.py", "audit"));
	assert_true(tb_code_intern("ab", "c") != tb_code_intern("a", "bc"));
}

TEST(missing_texts_are_empty_and_long_ones_are_cut)
{
	static char longest[256], longer[257];
	memset(longest, 'f', 255);
	memset(longer, 'f', 256);
	expect(tb_code_intern(NULL, "only.py"), 1, "", "only.py");
	expect(tb_code_intern("only", NULL), 1, "only", "");
	assert_true(tb_code_intern(NULL, NULL) == tb_code_intern("", ""));
	assert_true(tb_code_intern(longest, longest) == tb_code_intern(longer, longer));
	expect(tb_code_intern(longer, longer), 1, longest, longest);
}

TEST(numbers_that_were_never_given_have_no_place)
{
	struct tb_place place;
	const uintptr_t codes[] = {TB_CODE_ADDRESS, TB_CODE_PLACE, 77, (uintptr_t)&place, (uintptr_t)-1,
		TB_CODE_UNKNOWN - 1, TB_CODE_UNKNOWN + TB_CODES, TB_CODE_UNKNOWN + TB_CODES + 1};
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		assert_false(tb_code_place(tb_site_make(codes[i], 1), &place));
}

TEST(without_memory_code_is_unknown_and_counted)
{
	uint64_t before = tb_codes_lost();
	uintptr_t code = 0;
	char name[16];
	mem_fail_at(1);
	for (int i = 0; code != TB_CODE_UNKNOWN; i++) {
		assert_in_range(i, 0, 10000);
		snprintf(name, sizeof name, "f%d", i);
		errno = 77;
		code = tb_code_intern(name, "memory.py");
		assert_int_equal(errno, 77);
	}
	assert_int_equal(tb_codes_lost(), before + 1);
	expect(code, 9, "unknown code", "");
	assert_true(tb_code_intern(name, "memory.py") != TB_CODE_UNKNOWN);
}

/* The last test: afterwards there is no number left. */
TEST(a_million_pieces_of_code_take_bounded_memory_and_the_rest_is_counted)
{
	enum { MILLION = 1000000 };
	uint64_t before = tb_codes_lost();
	uintptr_t first = tb_code_intern("f0", "million.py");
	char name[16];
	size_t bytes = 0;
	for (int i = 0; i < MILLION; i++) {
		snprintf(name, sizeof name, "f%d", i);
		uintptr_t code = tb_code_intern(name, "million.py");
		if (code == TB_CODE_UNKNOWN)
			bytes = bytes == 0 ? mem_live_bytes() : bytes;
		else
			assert_int_equal(bytes, 0); /* the first ones have the numbers */
	}
	uint64_t lost = tb_codes_lost() - before;
	assert_in_range(lost, MILLION - TB_CODES, MILLION - TB_CODES + 10000); /* the tests before have some */
	assert_int_equal(mem_live_bytes(), bytes);
	assert_in_range(bytes, 1, 64u << 20);
	assert_true(tb_code_intern("f0", "million.py") == first);
	expect(first, 5, "f0", "million.py");
	assert_true(tb_code_intern("f999999", "million.py") == TB_CODE_UNKNOWN);
}
