/* SPDX-License-Identifier: MIT
 * The process has a single table: the test that fills it comes last. */
#include <string.h>

#include "places.h"
#include "random.h"
#include "test.h"

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
