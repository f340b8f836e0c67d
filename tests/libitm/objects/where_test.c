/* SPDX-License-Identifier: MIT
 * The place of an allocation, by several ways through functions of this test. */
#include <string.h>

#include "test.h"
#include "where.h"

#define HERE __attribute__((noinline, noclone))

/* Each plays a hook: the frame of its caller comes first. */
static HERE struct where *hook(void)
{
	return where_now((const uintptr_t *)__builtin_dwarf_cfa() - 1);
}

static void *addresses[3];

static HERE struct where *called_directly(void)
{
	struct where *where = hook();
	addresses[0] = __builtin_return_address(0);
	return where;
}

static HERE struct where *from_one(void)
{
	struct where *where = called_directly();
	__asm__ volatile("" ::: "memory");
	return where;
}

static HERE struct where *from_another(void)
{
	struct where *where = called_directly();
	__asm__ volatile("nop" ::: "memory");
	return where;
}

static HERE struct where *after(unsigned depth)
{
	struct where *where = depth > 0 ? after(depth - 1) : hook();
	__asm__ volatile("" ::: "memory");
	return where;
}

static HERE struct where *with_array(size_t size)
{
	char *array = __builtin_alloca(size);
	array[size - 1] = 1;
	struct where *where = hook();
	__asm__ volatile("" ::"r"(array) : "memory");
	return where;
}

TEST(the_frames_are_those_of_the_callers)
{
	struct where *where = from_one();
	assert_true(where->place.len > 2);
	assert_int_equal(where->place.frames[1], (uintptr_t)addresses[0]);
}

/* Loops count in volatile variables, so that the compiler keeps a single call instruction. */
TEST(the_same_stack_is_recognised)
{
	uint32_t recognised = 0;
	for (volatile int i = 0; i < 3; i++) {
		struct where *where = from_one();
		recognised += where->number == 5;
		where->number = 5;
	}
	assert_int_equal(recognised, 2);
}

static HERE struct where *from_either(int which)
{
	return which == 0 ? from_one() : from_another();
}

TEST(another_way_to_the_same_frame_is_another_place)
{
	struct place places[4];
	for (volatile int i = 0; i < 4; i++)
		places[i] = from_either(i % 2)->place;
	assert_int_equal(places[0].frames[0], places[1].frames[0]);
	assert_int_not_equal(places[0].frames[1], places[1].frames[1]);
	assert_memory_equal(places[0].frames, places[2].frames, places[0].len * sizeof *places[0].frames);
	assert_memory_equal(places[1].frames, places[3].frames, places[1].len * sizeof *places[1].frames);
}

TEST(frames_of_any_size_are_right)
{
	struct place first = {.len = 0};
	for (volatile size_t size = 16; size < 4000; size += 48) {
		struct place place = with_array(size)->place;
		if (first.len == 0)
			first = place;
		assert_int_equal(place.len, first.len);
		assert_memory_equal(place.frames, first.frames, place.len * sizeof *place.frames);
	}
	assert_true(first.len > 1);
}

TEST(a_deep_stack_is_cut)
{
	struct where *shallow = after(0);
	assert_true(shallow->place.len <= PLACES_FRAMES);
	for (unsigned depth = PLACES_FRAMES; depth < 200; depth++) {
		struct where *where = after(depth);
		assert_int_equal(where->place.len, PLACES_FRAMES);
		assert_false(where->place.is_whole);
	}
}

TEST(a_slot_that_is_on_no_stack_has_no_frames)
{
	static uintptr_t slot = 1;
	assert_int_equal(where_now(&slot)->place.len, 0);
	assert_int_equal(where_now(&slot)->place.len, 0);
}
