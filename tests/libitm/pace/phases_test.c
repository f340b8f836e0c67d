/* SPDX-License-Identifier: MIT
 * The phases in which nothing is measured, and the sums of both kinds of phases in the recording. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "phases.h"
#include "session_fixture.h"
#include "test.h"

static void set_up(void)
{
	itm_phases_forget();
	session_set_up();
}

static const struct test_fixture fixture = {set_up, session_tear_down};

/* The off phases of a second, in microseconds; they begin at different positions in their periods. */
TEST(a_fifth_of_each_period_is_off_in_one_piece)
{
	uint64_t before = 0, same = 0;
	for (uint64_t period = 0; period < 50; period++) {
		uint64_t off_us = 0, changes = 0, begins = 0;
		bool was_off = false;
		for (uint64_t us = 0; us < ITM_PHASE_PERIOD_NS / US; us += 10) {
			bool is_off = itm_phase_is_off(period * ITM_PHASE_PERIOD_NS + us * US);
			begins = is_off && !was_off ? us : begins;
			changes += is_off && !was_off;
			off_us += is_off ? 10 : 0;
			was_off = is_off;
		}
		assert_in_range(off_us, ITM_PHASE_OFF_NS / US - 10, ITM_PHASE_OFF_NS / US + 10);
		assert_int_equal(changes, 1);
		same += begins == before;
		before = begins;
	}
	assert_in_range(same, 0, 2);
}

/* The value of a fact in the next recording; -1: it is not there. */
static int64_t fact(const char *key)
{
	static char bytes[1 << 16];
	char path[64], line[64];
	snprintf(path, sizeof path, "/tmp/stmlog-phases-%d", (int)getpid());
	int len = snprintf(line, sizeof line, "%s=", key);
	assert_int_equal(stmlog_record(path), 0);
	FILE *file = fopen(path, "rb");
	size_t size = fread(bytes, 1, sizeof bytes - 1, file);
	fclose(file);
	unlink(path);
	const char *found = memmem(bytes, size, line, (size_t)len);
	return found != NULL ? atoll(found + len) : -1;
}

static void add(bool is_off, uint64_t from_ns, uint64_t to_ns, uint64_t transactions, uint64_t restarts)
{
	struct itm_phase_mark from = {from_ns, 100, 50}, to = {to_ns, 100 + transactions, 50 + restarts};
	itm_phase_add(is_off, &from, &to);
}

TEST_WITH(fixture, what_threads_did_in_phases_adds_up)
{
	add(false, 1, 1 + 80 * MS, 1000, 200);
	add(true, 1, 1 + 20 * MS, 300, 90);
	add(true, 1, 1 + 21 * MS, 200, 10);
	itm_phases_set_facts();
	assert_int_equal(fact("on_phases"), 1);
	assert_int_equal(fact("on_ns"), 80 * MS);
	assert_int_equal(fact("on_transactions"), 1000);
	assert_int_equal(fact("on_aborts"), 200);
	assert_int_equal(fact("off_phases"), 2);
	assert_int_equal(fact("off_ns"), 41 * MS);
	assert_int_equal(fact("off_transactions"), 500);
	assert_int_equal(fact("off_aborts"), 100);
	assert_int_equal(fact("off_aborts_square"), 90 * 90 + 10 * 10);
	assert_int_equal(fact("off_aborts_us"), 90 * 20000 + 10 * 21000);
	assert_int_equal(fact("off_us_square"), UINT64_C(20000) * 20000 + UINT64_C(21000) * 21000);
}

TEST_WITH(fixture, what_is_no_whole_phase_is_left_out)
{
	struct itm_phase_mark none = {.at_ns = 0}, from = {5, 10, 50}, fewer = {10, 20, 49};
	itm_phase_add(false, &none, &from);
	itm_phase_add(true, &from, &fewer);
	add(false, 1, 2 + 2 * ITM_PHASE_PERIOD_NS, 1, 1);
	add(true, 1, 2 + 50 * MS, 1, 1);
	itm_phases_set_facts();
	assert_int_equal(fact("on_phases"), 0);
	assert_int_equal(fact("off_phases"), 0);
}

TEST_WITH(fixture, a_child_begins_with_none)
{
	add(false, 1, 2, 1, 1);
	itm_phases_forget();
	itm_phases_set_facts();
	assert_int_equal(fact("on_phases"), 0);
	assert_int_equal(fact("on_aborts"), 0);
}
