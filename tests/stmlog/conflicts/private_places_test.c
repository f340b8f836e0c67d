/* SPDX-License-Identifier: MIT
 * Rows of private places: one record's alone, and used again within an attempt, but not for ever. */
#include "fixture.h"
#include "private_places.h"

enum { FILLS = 128, RECORDS = 20 };

/* Returns the traceback of an origin in this attempt. */
static struct tb_copy read_in(uint64_t attempt, uint64_t place)
{
	struct stmlog_origin_parts parts = {.attempt = attempt};
	private_place_read(place | attempt << 12, &parts);
	return parts.copy;
}

TEST_WITH(no_leaks, a_record_fills_no_row_of_another_one)
{
	struct private_places one = {0, 0}, others[RECORDS] = {{0, 0}};
	struct tb_copy traceback = {2, true, {{4, 2}, {4, 1}}};
	uint64_t places[FILLS];
	unsigned known[2] = {0};
	for (unsigned i = 0; i < FILLS; i++)
		places[i] = private_place_fill(&one, 1, 1, &traceback);
	for (unsigned i = 0; i < FILLS; i++)
		known[0] += read_in(1, places[i]).len == 2;
	for (unsigned i = 0; i < RECORDS * FILLS; i++)
		assert_int_not_equal(private_place_fill(&others[i % RECORDS], 2, 1, &traceback), 0);
	for (unsigned i = 0; i < FILLS; i++)
		known[1] += read_in(1, places[i]).len == 2;
	assert_in_range(known[0], FILLS / 2, FILLS);
	assert_int_equal(known[1], known[0]);
}

TEST_WITH(no_leaks, an_attempt_that_has_used_all_turns_of_its_rows_gets_no_place_and_the_next_one_does)
{
	struct private_places places = {0, 0};
	struct tb_copy traceback = {2, true, {{4, 1}, {4, 1}}};
	unsigned fills = 0;
	while (fills <= FILLS * PRIVATE_TURNS && private_place_fill(&places, 1, 5, &traceback) != 0)
		fills++;
	assert_in_range(fills, PRIVATE_TURNS, FILLS * PRIVATE_TURNS);
	assert_int_equal(read_in(6, private_place_fill(&places, 1, 6, &traceback)).len, 2);
	assert_int_equal(private_place_fill(&places, 1, 4, &traceback), 0);
}
