/* SPDX-License-Identifier: MIT
 * Lines of calls by what they pass. */
#include "haskell_unit_sample.h"

TEST_WITH(unit_fixture, a_call_is_the_expression_around_its_argument)
{
	pass(1, ARGUMENT_12_CODE);
	assert_lines(haskell_calling_lines(&calling, &blocks[1]), 12, 12);
	assert_lines(haskell_calling_lines(&calling, &blocks[0]), 0, 0);
}

TEST_WITH(unit_fixture, of_two_arguments_the_lines_are_those_of_both)
{
	pass(1, ARGUMENT_12_CODE);
	pass(1, ARGUMENT_14_CODE);
	assert_lines(haskell_calling_lines(&calling, &blocks[1]), 12, 14);
}

TEST_WITH(unit_fixture, what_is_not_passed_or_has_no_source_tells_nothing)
{
	pass(1, ARGUMENT_12_CODE);
	blocks[1].closures[0].registers = 0;
	pass(1, 0x3000);
	assert_lines(haskell_calling_lines(&calling, &blocks[1]), 0, 0);
}

/* As of a `let`: the expression around is that of the function. */
TEST_WITH(unit_fixture, an_argument_in_no_expression_tells_nothing)
{
	static uint32_t starts[] = {WRITER};
	struct haskell_note let_bound = functions[ARGUMENT_12].source;
	functions[WRITER].die = (Dwarf_Die){.addr = NULL};
	unit.starts = starts;
	unit.start_count = 1;
	functions[ARGUMENT_12].source.line = functions[ARGUMENT_12].source.end_line = 11;
	pass(1, ARGUMENT_12_CODE);
	assert_lines(haskell_calling_lines(&calling, &blocks[1]), 0, 0);
	functions[ARGUMENT_12].source = let_bound;
}

TEST_WITH(unit_fixture, an_action_is_before_the_one_that_is_passed_beside_it)
{
	calling.next = ARGUMENT_14_CODE;
	pass(1, ARGUMENT_14_CODE);
	assert_lines(haskell_calling_lines_before(&calling, &blocks[1]), 10, 14);
	pass(1, ARGUMENT_12_CODE);
	assert_lines(haskell_calling_lines_before(&calling, &blocks[1]), 12, 12);
}

TEST_WITH(unit_fixture, lines_that_are_not_known_add_nothing)
{
	const struct haskell_lines none = {0, 0}, one = {3, 5}, other = {4, 9};
	assert_lines(haskell_lines_joined(none, one), 3, 5);
	assert_lines(haskell_lines_joined(one, none), 3, 5);
	assert_lines(haskell_lines_joined(other, one), 3, 9);
}
