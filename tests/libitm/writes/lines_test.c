/* SPDX-License-Identifier: MIT
 * The lines that transactions have touched, and the lines that two threads have in common; compared with sets that
 * forget nothing. */
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "test.h"

#define BASE ((uintptr_t)0x10000)
enum { MY_SITE = 0x11, OTHER_SITE = 0x22, THEIR_SITE = 0x33, PLACE = 0x44, WRITE_PLACE = 0x55 };

static struct itm_lines mine, theirs;

static void set_up(void)
{
	memset(&mine, 0, sizeof mine);
	memset(&theirs, 0, sizeof theirs);
}

static const struct test_fixture fixture = {.set_up = set_up};

static void touch(struct itm_lines *lines, uintptr_t site, uintptr_t address, size_t size, bool is_write)
{
	itm_lines_begin(lines);
	itm_lines_add(lines, site, is_write ? WRITE_PLACE : PLACE, address, size, is_write);
}

static struct itm_common_line common(void)
{
	struct itm_common_line best = {.weight = 0};
	itm_lines_find_common(&mine, MY_SITE, &theirs, &best);
	return best;
}

TEST_WITH(fixture, nobody_is_met_where_nothing_is_known)
{
	assert_int_equal(common().weight, 0);
	touch(&mine, MY_SITE, BASE, 8, true);
	assert_int_equal(common().weight, 0);
}

TEST_WITH(fixture, a_common_byte_that_one_writes_is_a_true_conflict)
{
	touch(&mine, MY_SITE, BASE + 8, 8, false);
	touch(&theirs, THEIR_SITE, BASE + 12, 8, true);
	struct itm_common_line found = common();
	assert_int_equal(found.weight, 1);
	assert_false(found.is_false);
	assert_int_equal(found.mine, BASE + 12);
	assert_int_equal(found.theirs, BASE + 12);
	assert_int_equal(found.site, THEIR_SITE);
	assert_int_equal(found.place, WRITE_PLACE);
}

TEST_WITH(fixture, other_bytes_of_the_line_are_a_false_one)
{
	touch(&mine, MY_SITE, BASE + 56, 8, true);
	touch(&theirs, THEIR_SITE, BASE, 8, true);
	struct itm_common_line found = common();
	assert_true(found.is_false);
	assert_int_equal(found.mine, BASE + 56);
	assert_int_equal(found.theirs, BASE);
}

TEST_WITH(fixture, two_readers_are_in_nobodys_way)
{
	touch(&mine, MY_SITE, BASE, 8, false);
	touch(&theirs, THEIR_SITE, BASE, 8, false);
	assert_int_equal(common().weight, 0);
}

TEST_WITH(fixture, the_next_line_is_another_one)
{
	touch(&mine, MY_SITE, BASE + 63, 1, true);
	touch(&theirs, THEIR_SITE, BASE + 64, 1, true);
	assert_int_equal(common().weight, 0);
	touch(&mine, MY_SITE, BASE + 63, 2, true); /* reaches into it */
	assert_int_equal(common().weight, 1);
}

TEST_WITH(fixture, what_the_threads_other_transactions_touch_does_not_count)
{
	touch(&mine, OTHER_SITE, BASE, 8, true);
	touch(&theirs, THEIR_SITE, BASE, 8, true);
	assert_int_equal(common().weight, 0);
}

TEST_WITH(fixture, a_write_keeps_its_place_whatever_is_read_behind_it)
{
	touch(&mine, MY_SITE, BASE, 8, true);
	touch(&theirs, THEIR_SITE, BASE, 8, false);
	assert_int_equal(common().place, PLACE);
	touch(&theirs, THEIR_SITE, BASE, 8, true);
	touch(&theirs, THEIR_SITE, BASE, 8, false);
	assert_int_equal(common().place, WRITE_PLACE);
}

TEST_WITH(fixture, where_they_meet_max_often_counts)
{
	touch(&mine, MY_SITE, BASE, 8, true);
	touch(&theirs, THEIR_SITE, BASE, 8, true);
	for (int i = 0; i < 3; i++) {
		itm_lines_begin(&mine);
		for (int twice = 0; twice < 2; twice++) /* in one transaction it counts once */
			itm_lines_add(&mine, MY_SITE, PLACE, BASE + 640, 8, true);
		touch(&theirs, OTHER_SITE, BASE + 640, 8, false);
	}
	struct itm_common_line found = common();
	assert_int_equal(found.weight, 9);
	assert_int_equal(found.site, OTHER_SITE);
	assert_int_equal(found.mine, BASE + 640);
}

TEST_WITH(fixture, what_is_touched_often_stays_when_more_is_touched_than_fits)
{
	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < 10; i++)
			touch(&mine, MY_SITE, BASE, 8, true);
		for (uintptr_t line = 1; line < 2 * ITM_LINES_SETS * ITM_LINES_WAYS; line++)
			touch(&mine, MY_SITE, BASE + 64 * line, 8, true);
	}
	touch(&theirs, THEIR_SITE, BASE, 8, true);
	assert_true(common().weight >= 100);
}

TEST_WITH(fixture, counts_age_and_do_not_overflow)
{
	for (int i = 0; i < 100000; i++)
		touch(&mine, MY_SITE, BASE, 8, true);
	touch(&theirs, THEIR_SITE, BASE, 8, true);
	assert_in_range(common().weight, 512, 1024);
}

TEST_WITH(fixture, of_a_long_copy_the_beginning_is_kept)
{
	touch(&mine, MY_SITE, BASE, 65535, true);
	touch(&theirs, THEIR_SITE, BASE + 15 * 64, 8, true);
	assert_int_equal(common().weight, 1);
	set_up();
	touch(&mine, MY_SITE, BASE, 65535, true);
	touch(&theirs, THEIR_SITE, BASE + 16 * 64, 8, true);
	assert_int_equal(common().weight, 0);
	touch(&mine, MY_SITE, BASE, 0, true);
	assert_int_equal(common().weight, 0);
}

/* ---- against a model: all accesses, byte by byte ---- */

enum { BYTES = 6 * ITM_LINE_BYTES, ACCESSES = 40 };

TEST_WITH(fixture, random_transactions_meet_where_the_model_says)
{
	srand(7);
	for (int round = 0; round < 20000; round++) {
		bool touched[2][BYTES] = {{false}}, written[2][BYTES] = {{false}};
		set_up();
		for (int i = rand() % 6; i >= 0; i--) {
			int who = rand() % 2;
			size_t size = 1 + (size_t)rand() % 32, at = (size_t)rand() % (BYTES - size);
			bool is_write = rand() % 3 == 0;
			touch(who == 0 ? &mine : &theirs, who == 0 ? MY_SITE : THEIR_SITE, BASE + at, size, is_write);
			for (size_t byte = at; byte < at + size; byte++) {
				touched[who][byte] = true;
				written[who][byte] |= is_write;
			}
		}
		bool any_line = false, true_line[BYTES / ITM_LINE_BYTES] = {false};
		for (size_t line = 0; line < BYTES / ITM_LINE_BYTES; line++) {
			bool is_touched[2] = {false}, is_written = false;
			for (size_t byte = line * ITM_LINE_BYTES; byte < (line + 1) * ITM_LINE_BYTES; byte++) {
				for (int who = 0; who < 2; who++) {
					is_touched[who] |= touched[who][byte];
					is_written |= written[who][byte];
					true_line[line] |= written[who][byte] && touched[1 - who][byte];
				}
			}
			any_line |= is_touched[0] && is_touched[1] && is_written;
		}
		struct itm_common_line found = common();
		assert_int_equal(found.weight != 0, any_line);
		if (any_line)
			assert_int_equal(found.is_false, !true_line[(found.mine - BASE) / ITM_LINE_BYTES]);
	}
}
