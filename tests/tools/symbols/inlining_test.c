/* SPDX-License-Identifier: MIT
 * Addresses in this program have the frames of its source. */
#include "own_inlining.h"

#define HERE __attribute__((noinline, noclone))

static uint64_t address_within;

/* The return address of the call. */
static HERE void take_address(void)
{
	address_within = (uint64_t)(uintptr_t)__builtin_return_address(0);
	__asm__ volatile("" ::: "memory");
}

/* A function `name` that calls the inner one, and does something behind the call. */
#define AROUND(attributes, name, inner)            \
	static attributes void name(void)          \
	{                                          \
		inner();                           \
		__asm__ volatile("" ::: "memory"); \
	}
#define INLINED inline __attribute__((always_inline))
AROUND(INLINED, level_1, take_address)
AROUND(INLINED, level_2, level_1)
AROUND(INLINED, level_3, level_2)
AROUND(INLINED, level_4, level_3)
AROUND(INLINED, level_5, level_4)
AROUND(INLINED, level_6, level_5)
AROUND(INLINED, level_7, level_6)
AROUND(INLINED, level_8, level_7)
AROUND(INLINED, level_9, level_8)
AROUND(INLINED, level_10, level_9)
AROUND(INLINED, level_11, level_10)
AROUND(INLINED, level_12, level_11)
AROUND(INLINED, level_13, level_12)
AROUND(INLINED, level_14, level_13)
AROUND(INLINED, level_15, level_14)
AROUND(INLINED, level_16, level_15)
AROUND(HERE, around_none, take_address)
AROUND(HERE, around_15, level_15)
AROUND(HERE, around_16, level_16)

static HERE void with_blocks(int depth)
{
	if (depth > 0) {
		int __attribute__((unused)) of_the_block = depth;
		for (int i = 0; i < 1; i++)
			level_2();
		__asm__ volatile("" ::: "memory");
	}
}

/* level_1, level_2 and so on. */
static void expect_levels(size_t levels)
{
	char name[32];
	for (size_t i = 0; i < levels; i++) {
		snprintf(name, sizeof name, "level_%zu", i + 1);
		assert_string_equal(frames[i].function, name);
		assert_non_null(strstr(frames[i].file, "inlining_test.c"));
		assert_true(frames[i].line > 0);
	}
}

TEST_WITH(inlining_fixture, a_function_is_one_frame)
{
	around_none();
	assert_int_equal(frames_at(address_within - 1), 1);
	assert_string_equal(frames[0].function, "around_none");
}

TEST_WITH(inlining_fixture, as_many_frames_as_there_is_room_for_are_all)
{
	around_15();
	assert_int_equal(frames_at(address_within - 1), INLINING_DEPTH);
	expect_levels(15);
	assert_string_equal(frames[15].function, "around_15");
}

TEST_WITH(inlining_fixture, of_more_frames_the_innermost_are_given)
{
	around_16();
	assert_int_equal(frames_at(address_within - 1), INLINING_DEPTH);
	expect_levels(16);
}

TEST_WITH(inlining_fixture, blocks_are_no_frames)
{
	with_blocks(1);
	assert_int_equal(frames_at(address_within - 1), 3);
	expect_levels(2);
	assert_string_equal(frames[2].function, "with_blocks");
}

TEST_WITH(inlining_fixture, a_frame_has_the_line_where_its_function_begins)
{
	with_blocks(1);
	assert_int_equal(frames_at(address_within - 1), 3);
	assert_true(frames[2].first_line > frames[1].first_line);
	assert_true(frames[2].first_line < frames[2].line);
	assert_non_null(inlining_directory(module.elf, address_within - 1));
	assert_null(inlining_directory(module.elf, 1));
}

TEST_WITH(inlining_fixture, all_is_the_same_when_asked_again)
{
	for (int i = 0; i < 3; i++) {
		a_function_is_one_frame();
		of_more_frames_the_innermost_are_given();
		blocks_are_no_frames();
	}
}

TEST_WITH(inlining_fixture, code_of_no_function_has_no_frames)
{
	assert_int_equal(frames_at(record.start), 0); /* what the linker put there */
	assert_int_equal(frames_at(record.end + (1 << 30)), 0);
	assert_int_equal(frames_at(0), 0);
}
