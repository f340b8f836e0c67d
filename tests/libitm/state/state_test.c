/* SPDX-License-Identifier: MIT
 * The agent's options. Which dispatch object plain transactions have. */

#include <stdlib.h>
#include <string.h>

#include <stmlog/agent.h>

#include "agent.h"
#include "capture_stderr.h"
#include "libitm_layout.h"
#include "environment.h"
#include "plain.h"
#include "ring.h"
#include "test.h"

/* ---- options ---- */

/* Opens the library with `text` as STMLOG_OPTIONS, reads the options, and closes it again. The output on stderr is in
 * `told`. */
static char told[512];

static struct itm_options read_with(const char *text)
{
	setenv("STMLOG_OPTIONS", text, 1);
	capture_stderr_begin();
	assert_int_equal(stmlog_open(NULL), 0);
	struct itm_options options = itm_options_read(&itm_agent.libitm);
	stmlog_close();
	capture_stderr_end(told, sizeof told);
	unsetenv("STMLOG_OPTIONS");
	return options;
}

TEST(without_options_threads_choose_how_often_to_measure_and_counters_are_used)
{
	struct itm_options options = read_with("");
	assert_int_equal(options.sample, NATIVE_SAMPLE_AUTO);
	assert_int_equal(options.depth, 32);
	assert_int_equal(options.layout.counters, 0x108);
	assert_string_equal(told, "");
}

TEST(a_timeline_measures_each_transaction_unless_somebody_says_otherwise)
{
	assert_int_equal(read_with("timeline=100").sample, 1);
	assert_int_equal(read_with("timeline=100:sample=16").sample, 16);
	assert_int_equal(read_with("timeline=100:sample=auto").sample, NATIVE_SAMPLE_AUTO);
	assert_int_equal(read_with("timeline=off").sample, NATIVE_SAMPLE_AUTO);
	assert_string_equal(told, "");
}

TEST(good_values_are_taken_silently)
{
	struct itm_options options = read_with("sample=1000000:depth=4096:counters=off");
	assert_int_equal(options.sample, 1000000);
	assert_int_equal(options.depth, 4096);
	assert_int_equal(options.layout.counters, 0);
	options = read_with("sample=1:depth=1:counters=on");
	assert_int_equal(options.sample, 1);
	assert_int_equal(read_with("sample=auto").sample, NATIVE_SAMPLE_AUTO);
	assert_int_equal(options.depth, 1);
	assert_int_equal(options.layout.counters, 0x108);
	assert_string_equal(told, "");
}

TEST(a_bad_value_is_told_once_and_replaced_by_the_default)
{
	static const char *const bad[] = {"0", "1000001", "99999999999999999999", "-1", "x", "", "2x", "Auto"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char text[128] = "sample=", expected[128] = "sample=";
		strcat(text, bad[i]);
		strcat(expected, bad[i]);
		strcat(expected, " is not a number from 1 to 1000000, or auto; using the default\n");
		assert_int_equal(read_with(text).sample, NATIVE_SAMPLE_AUTO);
		const char *first = strstr(told, expected);
		assert_non_null(first);
		assert_null(strstr(first + 1, "sample"));
	}
	assert_int_equal(read_with("counters=perhaps").layout.counters, 0x108);
	assert_non_null(strstr(told, "counters=perhaps is not on or off; using the default\n"));
}

TEST(a_bad_depth_is_left_to_the_library_to_tell)
{
	assert_int_equal(read_with("depth=0").depth, 32);
	const char *first = strstr(told, "depth=0");
	assert_non_null(first);
	assert_null(strstr(first + 1, "depth=0"));
	assert_int_equal(read_with("depth=4097").depth, 32);
}

static void know_libitm(void)
{
	itm_agent.libitm = (struct native_module){.build_id_len = 1, .build_id = {0x52}};
	setenv("STMLOG_LIBITM", "id=52,counters=108", 1);
}

static const struct test_fixture fixture = {know_libitm, NULL};

GROUP_WITH(fixture);

/* ---- plain transactions ---- */

static _Alignas(8) const char optimistic[8], alone[8];

static void set_up(void)
{
	itm_locks.dispatch = optimistic;
	itm_plain_prepare();
}

static const struct test_fixture plain_fixture = {.set_up = set_up};

/* As commit.c asks. */
static bool is_plain(const void *dispatch)
{
	return itm_scramble(dispatch) == AO_load(&itm_plain.dispatch);
}

TEST_WITH(plain_fixture, libitm_has_scrambled_nothing_before_a_transaction)
{
	assert_int_equal(itm_dispatch_scrambled(), 0);
	assert_int_equal(itm_scramble(itm_dispatch()), 0);
}

TEST_WITH(plain_fixture, only_transactions_with_the_dispatch_object_of_ml_wt_are_plain)
{
	assert_true(is_plain(optimistic));
	assert_false(is_plain(alone));
	assert_false(is_plain(NULL));
	assert_int_not_equal(AO_load(&itm_plain.dispatch), itm_dispatch_scrambled());
}

TEST_WITH(plain_fixture, without_a_known_layout_no_transaction_is_plain)
{
	itm_locks.dispatch = NULL;
	itm_plain_prepare();
	assert_false(is_plain(NULL));
	assert_int_not_equal(AO_load(&itm_plain.dispatch), itm_dispatch_scrambled());
}

TEST_WITH(plain_fixture, while_paused_no_transaction_is_plain)
{
	itm_plain_pause();
	assert_false(is_plain(optimistic));
	itm_plain_resume();
	assert_true(is_plain(optimistic));
}

/* Outside of transactions libitm's word is 0. */
TEST_WITH(plain_fixture, alone_in_the_process_any_transaction_is_plain_until_another_thread_transacts)
{
	struct itm_ring *one = itm_ring_acquire(1);
	itm_plain_joined();
	assert_int_not_equal(AO_load(&itm_plain.solo), itm_dispatch_scrambled());
	itm_plain_solo();
	assert_int_equal(AO_load(&itm_plain.solo), itm_dispatch_scrambled());
	struct itm_ring *other = itm_ring_acquire(2);
	itm_plain_joined();
	assert_int_not_equal(AO_load(&itm_plain.solo), itm_dispatch_scrambled());
	itm_plain_solo();
	assert_int_not_equal(AO_load(&itm_plain.solo), itm_dispatch_scrambled());
	itm_ring_release(one);
	itm_ring_release(other);
}

TEST_WITH(plain_fixture, where_plain_transactions_cannot_be_told_none_is_plain_alone_either)
{
	itm_locks.dispatch = NULL;
	itm_plain_prepare();
	itm_plain_solo();
	assert_int_not_equal(AO_load(&itm_plain.solo), itm_dispatch_scrambled());
}
