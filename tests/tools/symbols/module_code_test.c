/* SPDX-License-Identifier: MIT
 * Names by the symbols of this program, which has code as GHC makes it. */
#include "loaded.h"

#include "haskell_code.h"
#include "inlining.h"
#include "module.h"
#include "own_module.h"

enum { WITHIN = 1 }; /* an address within a piece of code */

static struct stmlog_module_record record;
static struct module module;

static void set_up(void)
{
	record = own_module();
	module = (struct module){.path = own_module_path(), .record = &record};
	assert_int_equal(module_open(&module), MODULE_SAME);
}

static void tear_down(void)
{
	module_close(&module);
}

static const struct test_fixture fixture = {set_up, tear_down};

/* NULL: no name. */
static void expect(enum haskell_place place, const char *expected)
{
	for (uint64_t offset = 0; offset <= WITHIN; offset++) {
		OWNED(owned_free) char *name = code_name(&module, haskell_code[place] + offset);
		if (expected != NULL)
			assert_string_equal(name, expected);
		else
			assert_null(name);
	}
}

TEST_WITH(fixture, code_within_a_symbol_has_its_name)
{
	expect(APPEND, "base:GHC.Base.++");
	expect(WITHDRAW, "Store.Bank.withdraw");
	expect(MAIN3, "Main.main3");
	expect(GO, "Main.go_s1Xy");
	expect(PLAIN, "haskell_code_in_c");
}

TEST_WITH(fixture, code_behind_a_symbol_may_be_of_any_function)
{
	expect(BETWEEN, NULL);
}

TEST_WITH(fixture, code_between_two_functions_of_a_module_is_of_that_module)
{
	expect(LOCAL, "base:GHC.Base.?");
}

TEST_WITH(fixture, a_symbol_without_a_size_is_believed_nowhere_near_code_of_ghc)
{
	expect(UNSIZED, NULL);
}

TEST_WITH(fixture, a_number_of_the_compiler_is_no_name)
{
	expect(NUMBERED, NULL);
}

TEST_WITH(fixture, code_of_no_function_has_its_line_by_the_line_table)
{
	struct inlining_frame frame = code_line(module.elf, haskell_code[LISTED]);
	assert_null(frame.function);
	assert_string_equal(symbol_basename(frame.file), "unlisted.s");
	assert_int_equal(frame.line, 5);
	assert_null(code_line(module.elf, haskell_code[APPEND]).file);
	assert_null(code_line(module.elf, haskell_code[UNSIZED]).file);
	assert_null(code_line(module.elf, 1).file);
}

/* The row before is another function's. */
TEST_WITH(fixture, a_line_of_another_symbol_is_not_taken)
{
	assert_null(code_line(module.elf, haskell_code[MAIN3]).file);
	assert_int_equal(code_line(module.elf, haskell_code[WITHDRAW] + WITHIN).line, 17);
}
