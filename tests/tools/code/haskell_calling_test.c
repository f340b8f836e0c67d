/* SPDX-License-Identifier: MIT
 * Lines of calls, of a unit of one function, `writer` on lines 10 to 15, and of the code of two arguments of its calls.
 * Its five blocks run one behind the other; each leaves the next one as its continuation. */
#include "test.h"

#include "haskell_calling.h"

enum { BLOCKS = 5, WRITER = 0, ARGUMENT_12 = 1, ARGUMENT_14 = 2 };
enum { BLOCK_SIZE = 0x10, ARGUMENT_12_CODE = 0x1000, ARGUMENT_14_CODE = 0x2000 };

#define NOTE(...)                           \
	{                                   \
		"src/Lines.hs", __VA_ARGS__ \
	}

static struct haskell_function functions[] = {
	{.source_name = "writer", .source = NOTE(10, 1, 15, 9)},
	{.source_name = "writer", .source = NOTE(12, 10, 12, 15)},
	{.source_name = "writer", .source = NOTE(14, 10, 14, 15)},
};
static struct haskell_note notes[] = {NOTE(10, 1, 15, 9), NOTE(12, 3, 12, 15), NOTE(13, 3, 13, 8), NOTE(14, 3, 14, 15)};
static struct haskell_scope scopes[] = {
	{WRITER, HASKELL_NONE, 0, 4}, {ARGUMENT_12, HASKELL_NONE, 4, 0}, {ARGUMENT_14, HASKELL_NONE, 4, 0}};
static struct haskell_range ranges[] = {{0x100, 0x100 + BLOCKS *BLOCK_SIZE, 0},
	{ARGUMENT_12_CODE, ARGUMENT_12_CODE + 8, 1}, {ARGUMENT_14_CODE, ARGUMENT_14_CODE + 8, 2}};
static struct haskell_unit unit;
static struct haskell_block blocks[BLOCKS];
static struct haskell_calling calling;

static void set_up(void)
{
	unit = (struct haskell_unit){.file = "src/Lines.hs",
		.functions = functions,
		.scopes = scopes,
		.notes = notes,
		.ranges = ranges,
		.function_count = 3,
		.scope_count = 3,
		.note_count = 4,
		.range_count = 3};
	for (size_t i = 0; i < BLOCKS; i++) {
		uint64_t start = 0x100 + i * BLOCK_SIZE;
		blocks[i] = (struct haskell_block){.start = start, .end = start + BLOCK_SIZE};
		blocks[i].next[0] = blocks[i].continuation = start + BLOCK_SIZE;
		blocks[i].next_count = i + 1 < BLOCKS;
	}
	calling = (struct haskell_calling){
		.unit = &unit, .blocks = {blocks, BLOCKS}, .file = "Lines.hs", .source = {10, 15}};
}

static const struct test_fixture unit_fixture = {set_up, NULL};

/* The block passes new code, by a register. */
static inline void pass(size_t block, uint64_t code)
{
	blocks[block].closures[blocks[block].closure_count++] =
		(struct haskell_closure){.code = code, .registers = 1 << 14};
}

#define assert_lines(found, from, to)                   \
	do {                                            \
		struct haskell_lines found_ = (found);  \
		assert_int_equal(found_.first, (from)); \
		assert_int_equal(found_.last, (to));    \
	} while (0)

/* ---- by what they pass ---- */

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

/* ---- by the order of the statements ---- */

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

/* ---- which part of the source has the statements of a function that was made from several ---- */

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
