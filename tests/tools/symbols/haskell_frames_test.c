/* SPDX-License-Identifier: MIT
 * Addresses in blocks have the functions and lines that GHC's debug information gives them. */
#include "own_inlining.h"

#include "haskell_code.h"
#include "symbol.h"

static size_t frames_of(enum haskell_place place)
{
	return frames_at(haskell_code[place]);
}

static void expect(size_t number, const char *function, const char *file, uint32_t line, uint32_t first_line)
{
	assert_string_equal(frames[number].function, function);
	assert_string_equal(frames[number].file, file);
	assert_int_equal(frames[number].line, line);
	assert_int_equal(frames[number].first_line, first_line);
}

static void expect_one(
	enum haskell_place place, const char *function, const char *file, uint32_t line, uint32_t first_line)
{
	assert_int_equal(frames_of(place), 1);
	expect(0, function, file, line, first_line);
}

TEST_WITH(inlining_fixture, a_block_is_of_its_function_wherever_it_lies)
{
	expect_one(TRANSFER_BEHIND_WITHDRAW, "Store.Bank.transfer", "src/Bank.hs", 12, 10);
	expect_one(WITHDRAW_BEHIND_READ, "Store.Bank.withdraw", "src/Bank.hs", 20, 17);
}

TEST_WITH(inlining_fixture, the_first_block_has_the_line_of_the_line_table)
{
	expect_one(WITHDRAW, "Store.Bank.withdraw", "src/Bank.hs", 17, 17);
}

TEST_WITH(inlining_fixture, notes_of_the_blocks_around_hold_for_a_block)
{
	expect_one(WITHDRAW_NO_NOTE, "Store.Bank.withdraw", "src/Bank.hs", 21, 17);
	expect_one(WITHDRAW_DEEPER, "Store.Bank.withdraw", "src/Bank.hs", 21, 17);
}

TEST_WITH(inlining_fixture, of_notes_side_by_side_the_last_holds)
{
	expect_one(TRANSFER_SIBLINGS, "Store.Bank.transfer", "src/Bank.hs", 13, 10);
}

TEST_WITH(inlining_fixture, an_inlined_function_is_a_frame_with_the_name_in_its_own_module)
{
	assert_int_equal(frames_of(SERVE_INLINES), 2);
	expect(0, "Store.Bank.withdraw", "src/Bank.hs", 19, 17);
	expect(1, "Main.serve", "Main.hs", 18, 12);
	assert_int_equal(frames_of(SERVE_INLINES_AT_ONCE), 2);
	expect(0, "Store.Bank.transfer", "src/Bank.hs", 12, 10);
	expect(1, "Main.serve", "Main.hs", 12, 12);
}

TEST_WITH(inlining_fixture, an_inlined_function_of_another_package_has_the_whole_path_of_its_source)
{
	struct writer writer;
	OWNED(recording_fini) struct recording recording;
	writer_init(&writer);
	record.path = writer_string(&writer, own_module_path());
	writer_address(&writer, writer_module(&writer, &record), haskell_code[SERVE_INLINES] + 1);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	OWNED(symbols_destroy) struct symbols *symbols = symbols_create(&recording);
	const struct symbol_site *site = symbols_site(symbols, 0);
	assert_int_equal(site->len, 2);
	assert_string_equal(site->frames[0].file, "/home/bank//src/Bank.hs");
	assert_string_equal(site->frames[1].file, "Main.hs");
	assert_string_equal(site->directory, "/home/haskell/");
}

TEST_WITH(inlining_fixture, an_expression_of_the_caller_within_an_inlined_function_is_the_callers)
{
	expect_one(SERVE_ARGUMENT, "Main.serve", "Main.hs", 20, 12);
}

TEST_WITH(inlining_fixture, of_an_inlined_function_without_a_name_the_line_is_not_taken)
{
	expect_one(SERVE_INLINES_NAMELESS, "Main.serve", "Main.hs", 18, 12);
}

TEST_WITH(inlining_fixture, functions_around_and_within_a_function_are_no_inlined_ones)
{
	expect_one(SERVE_LOCAL, "Main.serve", "Main.hs", 19, 12);
	expect_one(PART_GO_BLOCK, "Main.serve.go", "Main.hs", 19, 15);
	expect_one(PART_GO_SHARED, "Main.serve.go", "Main.hs", 15, 15);
}

TEST_WITH(inlining_fixture, a_function_with_a_number_has_the_name_of_its_symbol_or_of_the_one_around)
{
	expect_one(MAIN3_BLOCK, "Main.main3", "Main.hs", 24, 0);
	assert_int_equal(frames_of(MAIN3), 1);
	assert_string_equal(frames[0].function, "Main.main3");
	assert_null(frames[0].file);
	assert_int_equal(frames_of(PART), 1);
	assert_string_equal(frames[0].function, "Main.serve");
	assert_null(frames[0].file);
	assert_int_equal(frames_of(UNNAMED), 1);
	assert_null(frames[0].function);
	assert_null(frames[0].file);
}

TEST_WITH(inlining_fixture, between_blocks_are_no_frames)
{
	assert_int_equal(frames_of(BETWEEN), 0);
}

TEST_WITH(inlining_fixture, all_is_the_same_when_asked_again)
{
	for (int i = 0; i < 3; i++) {
		an_inlined_function_is_a_frame_with_the_name_in_its_own_module();
		a_block_is_of_its_function_wherever_it_lies();
		a_function_with_a_number_has_the_name_of_its_symbol_or_of_the_one_around();
	}
}
