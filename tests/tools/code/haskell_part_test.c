/* SPDX-License-Identifier: MIT
 * Which part of the source has the statements of a function that was made from several. */
#include "haskell_unit_sample.h"

#include "haskell_calling.h"

/* The function has these notes. */
static void set_notes(size_t len, struct haskell_note *parts)
{
	unit.notes = parts;
	unit.note_count = len;
	scopes[0].notes = len;
}

static void assert_part(uint32_t line)
{
	assert_int_equal(haskell_part_find(&calling, WRITER)->line, line);
	scopes[0].notes = 4;
}

TEST_WITH(unit_fixture, a_function_has_its_own_statements)
{
	assert_part(10);
}

TEST_WITH(unit_fixture, a_function_that_was_inlined_is_part_of_its_caller)
{
	set_notes(4, (struct haskell_note[]){
			     NOTE(10, 1, 15, 9), NOTE(12, 3, 12, 9), NOTE(30, 1, 33, 9), NOTE(31, 3, 31, 9)});
	assert_part(10);
}

TEST_WITH(unit_fixture, a_function_without_statements_is_the_one_that_was_inlined)
{
	set_notes(3, (struct haskell_note[]){NOTE(3, 1, 3, 40), NOTE(30, 1, 33, 9), NOTE(31, 3, 31, 9)});
	assert_part(30);
	set_notes(2, (struct haskell_note[]){NOTE(3, 1, 3, 40), NOTE(10, 1, 15, 9)});
	pass(1, ARGUMENT_12_CODE);
	assert_part(10);
}

TEST_WITH(unit_fixture, without_notes_nothing_is_known)
{
	scopes[0].notes = 0;
	assert_null(haskell_part_find(&calling, WRITER));
	scopes[0].notes = 4;
}
