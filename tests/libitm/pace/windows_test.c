/* SPDX-License-Identifier: MIT
 * When windows begin and end. The numbers are those of windows.h, and of its comment. */

#include "random.h"
#include "test.h"
#include "windows.h"

#define US UINT64_C(1000)
#define MS (1000 * US)

#define START (UINT64_C(123456) * MS)
#define FIRST (5 * MS)
#define MIN (300 * US)

static void set_up(void)
{
	itm_windows_forget();
}

static const struct test_fixture windows_fixture = {.set_up = set_up};

static bool is_open(void)
{
	return AO_load(&itm_windows.open) != 0;
}

/* As bursts.c does it, at one time. */
static void look_at(uint64_t now_ns)
{
	if (itm_windows_is_over(now_ns))
		itm_windows_close();
	else if (itm_windows_is_due(now_ns))
		itm_windows_open(now_ns);
}

TEST_WITH(windows_fixture, the_first_window_is_due_after_a_pause)
{
	assert_false(itm_windows_is_due(START));
	assert_false(itm_windows_is_due(START + FIRST - 1));
	assert_true(itm_windows_is_due(START + FIRST));
	assert_true(itm_windows_is_due(START + 1000 * FIRST));
	assert_false(is_open());
	assert_false(itm_windows_is_over(START + 1000 * FIRST));
}

/* The pause counts from the first look, whenever that is; and the clock may begin at 0. */
TEST_WITH(windows_fixture, bursts_wait_for_an_open_window_but_not_long)
{
	assert_false(itm_windows_delay_burst(START));
	itm_windows_open(START);
	AO_store(&itm_windows.logging, 1);
	assert_true(itm_windows_delay_burst(START) && itm_windows_delay_burst(START + ITM_WINDOW_DELAY_MAX_NS - 1));
	assert_false(itm_windows_delay_burst(START + ITM_WINDOW_DELAY_MAX_NS));
	AO_store(&itm_windows.logging, 0);
	assert_true(itm_windows_delay_burst(START + MIN));
	assert_false(itm_windows_delay_burst(START + MIN + 1));
	itm_windows_close();
	assert_false(itm_windows_delay_burst(START));
}

TEST_WITH(windows_fixture, a_process_that_transacts_late_has_its_pause_too)
{
	for (uint64_t at_ns = 0; at_ns < 2000 * MS; at_ns += 999 * MS) {
		itm_windows_forget();
		assert_false(itm_windows_is_due(at_ns));
		assert_false(itm_windows_is_due(at_ns + FIRST - 1));
		assert_true(itm_windows_is_due(at_ns + FIRST));
	}
}

TEST_WITH(windows_fixture, while_one_is_open_none_is_due)
{
	itm_windows_is_due(START);
	itm_windows_open(START + FIRST);
	assert_true(is_open());
	assert_false(itm_windows_is_due(START + FIRST));
	assert_false(itm_windows_is_due(START + 100 * FIRST));
	itm_windows_close();
	assert_false(is_open());
	assert_true(itm_windows_is_due(START + 100 * FIRST));
}

TEST_WITH(windows_fixture, each_pause_is_twice_as_long_as_the_one_before)
{
	uint64_t begins_ns = START + FIRST, pause_ns = FIRST;
	itm_windows_is_due(START);
	for (int i = 0; i < 30; i++) {
		assert_false(itm_windows_is_due(begins_ns - 1));
		assert_true(itm_windows_is_due(begins_ns));
		itm_windows_open(begins_ns);
		itm_windows_close();
		pause_ns *= 2;
		begins_ns += pause_ns;
	}
}

/* Nor does a window that begins late bring the next one nearer. */
TEST_WITH(windows_fixture, pauses_are_from_begin_to_begin)
{
	itm_windows_is_due(START);
	itm_windows_open(START + 100 * MS);
	assert_true(itm_windows_is_over(START + 100 * MS + ITM_WINDOW_MAX_NS + 1));
	itm_windows_close();
	assert_false(itm_windows_is_due(START + 110 * MS - 1));
	assert_true(itm_windows_is_due(START + 110 * MS));
}

TEST_WITH(windows_fixture, a_window_is_over_when_nobody_logs_any_more)
{
	itm_windows_is_due(START);
	itm_windows_open(START + FIRST);
	assert_int_equal(AO_load(&itm_windows.logging), 0);
	AO_store(&itm_windows.logging, 2);
	assert_false(itm_windows_is_over(START + FIRST + 10 * MIN));
	AO_store(&itm_windows.logging, 1);
	assert_false(itm_windows_is_over(START + FIRST + 10 * MIN));
	AO_store(&itm_windows.logging, 0);
	assert_true(itm_windows_is_over(START + FIRST + 10 * MIN));
}

/* Other threads have not begun a transaction yet. */
TEST_WITH(windows_fixture, it_lasts_some_time_though_nobody_logs)
{
	itm_windows_is_due(START);
	itm_windows_open(START + FIRST);
	assert_false(itm_windows_is_over(START + FIRST));
	assert_false(itm_windows_is_over(START + FIRST + MIN));
	assert_true(itm_windows_is_over(START + FIRST + MIN + 1));
}

TEST_WITH(windows_fixture, it_lasts_no_longer_than_the_max)
{
	itm_windows_is_due(START);
	itm_windows_open(START + FIRST);
	AO_store(&itm_windows.logging, 1);
	assert_false(itm_windows_is_over(START + FIRST + ITM_WINDOW_MAX_NS));
	assert_true(itm_windows_is_over(START + FIRST + ITM_WINDOW_MAX_NS + 1));
	itm_windows_close();
	itm_windows_is_due(START + 1000 * MS);
	itm_windows_open(START + 1000 * MS);
	assert_int_equal(AO_load(&itm_windows.logging), 0); /* the other one's thread is none of this one's */
}

TEST_WITH(windows_fixture, no_two_windows_have_one_number)
{
	AO_t before = 0;
	for (uint64_t i = 0; i < 10; i++) {
		itm_windows_open(START + i * MS);
		assert_int_not_equal(AO_load(&itm_windows.open), 0);
		assert_int_not_equal(AO_load(&itm_windows.open), before);
		before = AO_load(&itm_windows.open);
		itm_windows_close();
	}
}

TEST_WITH(windows_fixture, a_child_begins_anew)
{
	itm_windows_is_due(START);
	for (uint64_t i = 0; i < 3; i++) {
		itm_windows_open(START + i * MS);
		AO_store(&itm_windows.logging, 1);
		if (i < 2)
			itm_windows_close();
	}
	itm_windows_forget();
	assert_false(is_open());
	assert_int_equal(AO_load(&itm_windows.logging), 0);
	assert_false(itm_windows_is_over(START + 1000 * MS));
	the_first_window_is_due_after_a_pause();
	itm_windows_is_due(START);
	itm_windows_open(START + FIRST);
	itm_windows_close();
	assert_false(itm_windows_is_due(START + 3 * FIRST - 1));
	assert_true(itm_windows_is_due(START + 3 * FIRST));
}

/* Looks at random times, while threads join and have enough. The model keeps when windows have begun. */
TEST_WITH(windows_fixture, at_random_times_windows_are_as_the_model_has_them)
{
	struct random random = {4711};
	uint64_t now_ns = START, begun_ns = 0, due_ns = START + FIRST, pause_ns = FIRST;
	bool was_open = false;
	for (int i = 0; i < 200000; i++) {
		bool is_due = !was_open && now_ns >= due_ns;
		bool nobody_logs = AO_load(&itm_windows.logging) == 0;
		bool is_over =
			was_open && (now_ns - begun_ns > ITM_WINDOW_MAX_NS || (now_ns - begun_ns > MIN && nobody_logs));
		look_at(now_ns);
		if (is_over) {
			pause_ns *= 2;
			due_ns = begun_ns + pause_ns;
		}
		begun_ns = is_due ? now_ns : begun_ns;
		was_open = is_due || (was_open && !is_over);
		assert_int_equal(is_open(), was_open);
		if (is_open())
			AO_store(&itm_windows.logging,
				random_below(&random, 20) == 0 ? 0 : 1 + random_below(&random, 3));
		now_ns += random_below(&random, 4) == 0 ? random_below(&random, (uint32_t)(3 * MS))
							: random_below(&random, (uint32_t)(100 * US));
	}
	assert_true(pause_ns > 1024 * FIRST);
}
