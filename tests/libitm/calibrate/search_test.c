/* SPDX-License-Identifier: MIT
 * Searching for the word that has changed as expected; arrays stand for libitm's memory. */

#include <string.h>

#include "calibrate.h"
#include "test.h"

enum { WORDS = 64, BYTES = WORDS * sizeof(uint32_t) };

static _Alignas(8) uint32_t before[WORDS], after[WORDS];
static const uint32_t risen[ITM_REASONS] = {[ITM_REASON_LOCKED_READ] = 5, [ITM_REASON_CLOSED_NESTING] = 13};

/* Other words that rise, too, each by another amount. */
static void set_up(void)
{
	for (uint32_t i = 0; i < WORDS; i++) {
		before[i] = 1000 * i;
		after[i] = before[i] + 100 + i;
	}
}

static const struct test_fixture fixture = {.set_up = set_up};

static void rise_at(size_t word)
{
	for (size_t i = 0; i < ITM_REASONS; i++)
		after[word + i] = before[word + i] + risen[i];
}

TEST_WITH(fixture, counters_are_found_where_all_of_them_have_risen_as_expected)
{
	assert_true(search_counters(before, after, BYTES, risen) == SEARCH_NOWHERE);
	rise_at(WORDS - ITM_REASONS);
	assert_int_equal(search_counters(before, after, BYTES, risen), BYTES - ITM_REASONS * 4);
	assert_true(search_counters(before, after, BYTES - 4, risen) == SEARCH_NOWHERE);
}

TEST_WITH(fixture, one_counter_that_should_have_stood_still_rules_a_place_out)
{
	for (size_t i = 0; i < ITM_REASONS; i++) {
		set_up();
		rise_at(20);
		after[20 + i]++;
		assert_true(search_counters(before, after, BYTES, risen) == SEARCH_NOWHERE);
	}
}

TEST_WITH(fixture, counters_go_round)
{
	before[20 + ITM_REASON_CLOSED_NESTING] = UINT32_MAX;
	rise_at(20);
	assert_int_equal(search_counters(before, after, BYTES, risen), 80);
}

TEST_WITH(fixture, two_places_are_none)
{
	rise_at(0);
	rise_at(30);
	assert_true(search_counters(before, after, BYTES, risen) == SEARCH_NOWHERE);
	memcpy(after, before, sizeof after);
	after[10] += 7;
	assert_int_equal(search_risen(before, after, BYTES, 7), 40);
	after[20] += 7;
	assert_true(search_risen(before, after, BYTES, 7) == SEARCH_NOWHERE);
}

TEST_WITH(fixture, a_word_that_has_risen_is_whole)
{
	memcpy(after, before, sizeof after);
	after[11] += 7; /* the upper half */
	assert_true(search_risen(before, after, BYTES, 7) == SEARCH_NOWHERE);
	assert_int_equal(search_risen(before, after, BYTES, (uint64_t)7 << 32), 40);
	assert_true(search_risen(before, after, 40, (uint64_t)7 << 32) == SEARCH_NOWHERE);
}

/* Memory that can be read: the table. */
static uint64_t table[32];

static bool read_table(void *of, uintptr_t address, void *to, size_t size)
{
	uintptr_t start = (uintptr_t)table;
	if (of != table || address < start || address + size > start + sizeof table)
		return false;
	memcpy(to, (const void *)address, size);
	return true;
}

TEST(a_pointer_is_found_that_leads_to_what_was_expected_each_time)
{
	uint64_t data[8] = {
		0, 1, UINT64_MAX & ~(uint64_t)7, (uintptr_t)table, (uintptr_t)(table + 1), (uintptr_t)table + 3, 4096};
	bool is_ruled_out[8] = {false};
	struct search_pointers pointers = {is_ruled_out, sizeof data};
	assert_true(search_pointer(&pointers) == SEARCH_NOWHERE); /* all */
	table[4] = table[5] = 77;                                 /* both may be meant */
	search_narrow_pointers(&pointers, data, 4 * 8, 77, read_table, table);
	assert_true(search_pointer(&pointers) == SEARCH_NOWHERE);
	assert_false(is_ruled_out[3]);
	assert_false(is_ruled_out[4]);
	for (size_t i = 0; i < 8; i++)
		assert_true(i == 3 || i == 4 || is_ruled_out[i]);
	table[9] = 78;
	search_narrow_pointers(&pointers, data, 9 * 8, 78, read_table, table);
	assert_int_equal(search_pointer(&pointers), 3 * 8);
	search_narrow_pointers(&pointers, data, 9 * 8, 79, read_table, table);
	assert_true(search_pointer(&pointers) == SEARCH_NOWHERE);
	search_narrow_pointers(&pointers, data, 9 * 8, 78, read_table, table); /* out is out */
	assert_true(search_pointer(&pointers) == SEARCH_NOWHERE);
}

TEST(a_word_is_found_by_what_it_was_at_each_time)
{
	uint32_t a[6] = {0, 0, 0, 1, 0, 5}, b[6] = {1, 1, 0, 1, 1, 5}, c[6] = {1, 0, 0, 1, 0, 5};
	const void *memory[] = {a, b, c};
	assert_true(search_values(memory, (const uint32_t[]){0, 1, 0}, 3, sizeof a) == SEARCH_NOWHERE); /* 1 and 4 */
	assert_int_equal(search_values(memory, (const uint32_t[]){0, 1, 1}, 3, sizeof a), 0);
	assert_int_equal(search_values(memory, (const uint32_t[]){0, 1, 0}, 3, 16), 4);
	assert_true(search_values(memory, (const uint32_t[]){2, 1, 0}, 3, sizeof a) == SEARCH_NOWHERE);
}
