/* SPDX-License-Identifier: MIT
 * Blocks come and go, and are found by an address; also compared with a model. Then places of allocations, and their
 * numbers: the process has a single table of them, so the test that fills it comes last. */
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "random.h"
#include "test.h"

#define START ((uintptr_t)0x10000000)
#define LARGE ((size_t)1 << 16)

static struct table *table;

static void begin(uint32_t cap)
{
	free(table);
	void *memory = aligned_alloc(16, (table_size(cap) + 15) & ~(size_t)15);
	assert_non_null(memory);
	memset(memory, 0, table_size(cap));
	table = table_init(memory, cap);
}

static void end(void)
{
	free(table);
	table = NULL;
}

static const struct test_fixture fixture = {.tear_down = end};

/* The place of the block found; 0: none. */
static uint32_t place_at(uintptr_t address)
{
	struct table_block found;
	return table_find(table, address, &found) ? found.place : 0;
}

static bool is_freed_at(uintptr_t address)
{
	struct table_block found;
	assert_true(table_find(table, address, &found));
	return found.is_freed;
}

TEST_WITH(fixture, a_block_is_found_by_each_address_in_it_and_no_other)
{
	static const size_t sizes[] = {1, 16, 255, 256, 257, 4096, LARGE - 1, LARGE, LARGE + 1, (size_t)1 << 40};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		for (uintptr_t start = START; start < START + 512; start += 48) {
			struct table_block found;
			begin(4);
			table_add(table, start, sizes[i], 7);
			assert_int_equal(place_at(start - 1), 0);
			assert_int_equal(place_at(start), 7);
			assert_int_equal(place_at(start + sizes[i] / 2), 7);
			assert_true(table_find(table, start + sizes[i] - 1, &found));
			assert_true(found.start == start && found.size == sizes[i] && !found.is_freed);
			assert_int_equal(place_at(start + sizes[i]), 0);
		}
	}
}

TEST_WITH(fixture, a_block_without_bytes_covers_nothing)
{
	begin(4);
	table_add(table, START, 0, 2);
	assert_int_equal(place_at(START), 0);
	table_add(table, START, 64, 3);
	assert_int_equal(place_at(START), 3);
}

TEST_WITH(fixture, a_smaller_block_in_the_place_of_a_freed_one_leaves_the_rest_of_it)
{
	begin(4);
	table_add(table, START, 2 * LARGE, 1);
	table_free(table, START);
	table_add(table, START, 64, 2);
	assert_int_equal(place_at(START + 63), 2);
	assert_int_equal(place_at(START + 64), 1);
	table_free(table, START);
	assert_true(is_freed_at(START));
	assert_true(is_freed_at(START + 64));
	assert_int_equal(place_at(START), 2);
}

TEST_WITH(fixture, a_block_at_either_end_of_memory_is_found)
{
	begin(2);
	table_add(table, 0, 8, 1);
	table_add(table, UINTPTR_MAX - 7, 8, 2);
	assert_int_equal(place_at(7), 1);
	assert_int_equal(place_at(8), 0);
	assert_int_equal(place_at(UINTPTR_MAX), 2);
	assert_int_equal(place_at(UINTPTR_MAX - 8), 0);
}

TEST_WITH(fixture, a_freed_block_is_known_until_its_memory_is_allocated_again)
{
	begin(8);
	table_add(table, START, 1024, 1);
	table_free(table, START);
	assert_true(is_freed_at(START + 1000));
	table_add(table, START + 512, 64, 2);
	assert_int_equal(place_at(START + 520), 2);
	assert_false(is_freed_at(START + 520));
	assert_int_equal(place_at(START + 511), 1);
	assert_int_equal(place_at(START + 576), 1);
	table_add(table, START, 1024, 3);
	assert_int_equal(place_at(START + 520), 3);
}

TEST_WITH(fixture, what_was_freed_by_mistake_can_be_kept)
{
	begin(1);
	table_add(table, START, 64, 1);
	table_free(table, START);
	table_undo_free(table, START);
	table_undo_free(table, START);
	assert_false(is_freed_at(START));
	table_add(table, START + 64, 64, 2);
	assert_int_equal(place_at(START + 64), 0);
	assert_int_equal(table_counts(table).missing, 1);
}

TEST_WITH(fixture, what_is_not_known_can_be_freed)
{
	begin(2);
	table_free(table, START);
	table_undo_free(table, START);
	table_add(table, START, 64, 1);
	table_free(table, START + 8);
	assert_false(is_freed_at(START));
	table_free(table, START);
	table_free(table, START);
	table_add(table, START + 64, 64, 2);
	table_add(table, START + 128, 64, 3);
	assert_int_equal(table_counts(table).forgotten, 1);
	assert_int_equal(place_at(START), 0);
}

TEST_WITH(fixture, beyond_its_capacity_blocks_are_counted_as_missing)
{
	for (uint32_t cap = 0; cap <= 5; cap++) {
		begin(cap);
		for (uint32_t i = 0; i <= cap; i++)
			table_add(table, START + 64 * i, 64, i + 1);
		assert_int_equal(table_counts(table).missing, 1);
		assert_int_equal(table_counts(table).forgotten, 0);
		for (uint32_t i = 0; i <= cap; i++)
			assert_int_equal(place_at(START + 64 * i), i < cap ? i + 1 : 0);
	}
}

TEST_WITH(fixture, room_is_made_by_what_was_freed_first)
{
	begin(3);
	for (uint32_t i = 0; i < 3; i++)
		table_add(table, START + LARGE * i, LARGE, i + 1);
	table_free(table, START + LARGE);
	table_free(table, START);
	table_add(table, START + 3 * LARGE, LARGE, 4);
	assert_int_equal(place_at(START + LARGE), 0);
	assert_int_equal(place_at(START), 1);
	table_add(table, START + 4 * LARGE, 1, 5);
	assert_int_equal(place_at(START), 0);
	assert_int_equal(place_at(START + 2 * LARGE), 3);
	table_add(table, START + 5 * LARGE, 1, 6);
	assert_int_equal(table_counts(table).forgotten, 2);
	assert_int_equal(table_counts(table).missing, 1);
}

/* ---- compared with a model: the last block of each 16 bytes ---- */

enum { UNITS = 1 << 14, BLOCKS = 400, STEPS = 20000 };

static struct {
	uint32_t owner[UNITS]; /* place of the last block there; 0: none */
	struct {
		uint32_t from, units;
	} live[BLOCKS];
	uint32_t live_len;
	bool is_taken[UNITS];
} model;

static void set_taken(uint32_t from, uint32_t units, bool is_taken)
{
	for (uint32_t i = from; i < from + units; i++)
		model.is_taken[i] = is_taken;
}

static bool is_space(uint32_t from, uint32_t units)
{
	for (uint32_t i = from; i < from + units; i++)
		if (model.is_taken[i])
			return false;
	return true;
}

static void allocate(struct random *random, uint32_t place)
{
	uint32_t units = 1 + random_below(random, random_below(random, 20) == 0 ? 6000 : 30);
	uint32_t from = random_below(random, UNITS - units);
	if (model.live_len == BLOCKS || !is_space(from, units))
		return;
	table_add(table, START + 16 * from, 16 * units, place);
	set_taken(from, units, true);
	for (uint32_t i = from; i < from + units; i++)
		model.owner[i] = place;
	model.live[model.live_len].from = from;
	model.live[model.live_len++].units = units;
}

static void release(struct random *random)
{
	if (model.live_len == 0)
		return;
	uint32_t i = random_below(random, model.live_len);
	table_free(table, START + 16 * model.live[i].from);
	set_taken(model.live[i].from, model.live[i].units, false);
	model.live[i] = model.live[--model.live_len];
}

/* Adds and frees at random, with room for `cap` blocks. What is found is right, and all is found if there is room. */
static void compare_with_model(uint64_t seed, uint32_t cap)
{
	struct random random = {seed};
	begin(cap);
	memset(&model, 0, sizeof model);
	for (uint32_t step = 1; step <= STEPS; step++) {
		if (random_below(&random, 2) == 0)
			release(&random);
		else
			allocate(&random, step);
		uint32_t unit = random_below(&random, UNITS);
		uint32_t found = place_at(START + 16 * unit + random_below(&random, 16));
		assert_true(found == model.owner[unit] || (found == 0 && cap < STEPS));
	}
}

TEST_WITH(fixture, any_sequence_gives_what_the_model_gives)
{
	compare_with_model(11, STEPS);
	assert_int_equal(table_counts(table).missing, 0);
	for (uint32_t unit = 0; unit < UNITS; unit++)
		assert_int_equal(place_at(START + 16 * unit), model.owner[unit]);
}

/* With too little room some blocks are not known; those that are known are right. */
TEST_WITH(fixture, too_little_room_makes_no_answer_wrong)
{
	static const uint32_t caps[] = {1, 7, 60, 200};
	for (size_t i = 0; i < sizeof caps / sizeof *caps; i++) {
		compare_with_model(i, caps[i]);
		assert_true(table_counts(table).missing + table_counts(table).forgotten > 0);
	}
}

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
