/* SPDX-License-Identifier: MIT
 * Places of allocations, and their numbers. The process has a single table: the test that fills it comes last. */
#include <string.h>

#include "places.h"
#include "random.h"
#include "test.h"

/* ---- the place of an allocation, by several ways through functions of this test ---- */

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

/* ---- numbers ---- */

static struct place place_of(uintptr_t first, uint32_t len)
{
	struct place place = {.len = len, .is_whole = true};
	for (uint32_t i = 0; i < len; i++)
		place.frames[i] = first + 16 * i;
	return place;
}

TEST(equal_places_have_one_number)
{
	struct place one = place_of(0x1000, 3), same = place_of(0x1000, 3);
	same.frames[3] = 77; /* beyond its length */
	uint32_t number = places_number(&one);
	assert_int_not_equal(number, 0);
	assert_int_equal(places_number(&same), number);
	assert_memory_equal(places_at(number)->frames, one.frames, 3 * sizeof *one.frames);
}

TEST(places_that_differ_in_anything_have_others)
{
	struct place one = place_of(0x2000, 3);
	struct place others[] = {place_of(0x2000, 2), place_of(0x2000, 4), place_of(0x2001, 3), one, one};
	others[3].is_whole = false;
	others[4].frames[2]++;
	uint32_t number = places_number(&one);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_not_equal(places_number(&others[i]), number);
}

TEST(a_place_without_frames_has_none)
{
	struct place none = place_of(0, 0);
	assert_int_equal(places_number(&none), 0);
	assert_null(places_at(0));
}

TEST(a_place_of_max_frames_is_kept_whole)
{
	struct place longest = place_of(0x3000, PLACES_FRAMES);
	const struct place *kept = places_at(places_number(&longest));
	assert_int_equal(kept->len, PLACES_FRAMES);
	assert_int_equal(kept->frames[PLACES_FRAMES - 1], longest.frames[PLACES_FRAMES - 1]);
}

TEST(when_it_is_full_known_ones_keep_their_numbers_and_new_ones_get_none)
{
	struct random random = {3};
	struct place known = place_of(0x4000, 2);
	uint32_t number = places_number(&known), refused = 0;
	for (uint32_t i = 0; i < 4 * PLACES_MAX; i++) {
		struct place another = place_of((uintptr_t)random_next(&random), 1);
		uint32_t found = places_number(&another);
		assert_true(found < PLACES_MAX);
		assert_true(found == 0 || places_at(found)->frames[0] == another.frames[0]);
		refused += found == 0;
	}
	assert_true(refused >= 3 * PLACES_MAX);
	assert_int_equal(places_number(&known), number);
}
