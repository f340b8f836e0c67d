/* SPDX-License-Identifier: MIT
 * A unit of one function, `writer` on lines 10 to 15, and of the code of two arguments of its calls. Its five blocks
 * run one behind the other; each leaves the next one as its continuation. */
#ifndef HASKELL_UNIT_SAMPLE_H
#define HASKELL_UNIT_SAMPLE_H

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

#endif
