/* SPDX-License-Identifier: MIT
 * Lines of calls by the order of the statements. */
#include "haskell_unit_sample.h"

#include "haskell_calling.h"

TEST_WITH(unit_fixture, a_call_lies_between_those_before_and_behind_it)
{
	assert_lines(haskell_order_lines(&calling, 2), 10, 15);
	pass(1, ARGUMENT_12_CODE);
	pass(3, ARGUMENT_14_CODE);
	assert_lines(haskell_order_lines(&calling, 0), 10, 12);
	assert_lines(haskell_order_lines(&calling, 2), 12, 14);
	assert_lines(haskell_order_lines(&calling, 4), 14, 15);
}

TEST_WITH(unit_fixture, in_a_loop_there_is_no_order)
{
	pass(1, ARGUMENT_12_CODE);
	pass(3, ARGUMENT_14_CODE);
	blocks[4].next[0] = blocks[0].start;
	blocks[4].next_count = 1;
	assert_lines(haskell_order_lines(&calling, 2), 10, 15);
}

/* What was inlined from a `where` is behind the statements in the source. */
TEST_WITH(unit_fixture, notes_that_are_not_in_order_tell_nothing)
{
	struct haskell_note first = notes[1];
	pass(1, ARGUMENT_12_CODE);
	pass(3, ARGUMENT_14_CODE);
	notes[1] = notes[3];
	notes[3] = first;
	assert_lines(haskell_order_lines(&calling, 2), 10, 15);
	notes[3] = notes[1];
	notes[1] = first;
}

/* The statement around may not have ended yet. */
TEST_WITH(unit_fixture, an_alternative_has_its_own_lines)
{
	static struct haskell_scope nested[] = {{WRITER, HASKELL_NONE, 0, 2}, {WRITER, 0, 2, 1}, {WRITER, 1, 3, 1}};
	unit.scopes = nested;
	blocks[2].scope = 1;
	blocks[3].scope = 2;
	assert_lines(haskell_order_lines(&calling, 1), 10, 15);
	assert_lines(haskell_order_lines(&calling, 2), 12, 13);
	assert_lines(haskell_order_lines(&calling, 3), 13, 14);
}
