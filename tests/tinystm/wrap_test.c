/* SPDX-License-Identifier: MIT
 * Linked with -Wl,--wrap=stm_init, so that the program's own stm_init() registers the module. stmlog_tinystm_init() is
 * called only to see the error again. The order of the tests matters: the module is registered for good. */
#include "fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "capture_stderr.h"
#include "stand_in.h"
#include "stmlog_tinystm.h"

static char said[4096];

static void init_stm(void)
{
	capture_stderr_begin();
	stm_init();
	capture_stderr_end(said, sizeof said);
}

TEST(without_room_for_a_module_the_program_is_told_so_and_goes_on)
{
	int slots = stand_in_build.module_slots;
	stand_in_build.module_slots = 0;
	init_stm();
	assert_int_equal(stmlog_tinystm_init(), -ENOSPC);
	stand_in_build.module_slots = slots;
	assert_non_null(strstr(said, "no room for one more module"));
	assert_int_equal(stand_in_modules(), 0);
}

TEST(without_room_for_data_the_program_is_told_so_and_goes_on)
{
	int slots = stand_in_build.specific_slots;
	stand_in_build.specific_slots = 0;
	init_stm();
	assert_int_equal(stmlog_tinystm_init(), -ENOSPC);
	stand_in_build.specific_slots = slots;
	assert_non_null(strstr(said, "no room for one more module"));
	assert_int_equal(stand_in_modules(), 0);
}

TEST(what_was_refused_leaves_threads_alone)
{
	stm_init_thread();
	assert_null(stmlog_thread_self());
	stm_exit_thread();
}

TEST(a_program_that_knows_nothing_of_us_is_recorded)
{
	init_stm();
	assert_string_equal(said, "");
	assert_int_equal(stand_in_modules(), 1);
	stm_init_thread();
	assert_non_null(stmlog_thread_self());
	stm_exit_thread();
	assert_null(stmlog_thread_self());
}

TEST(a_second_stm_init_registers_nothing_more)
{
	init_stm();
	assert_string_equal(said, "");
	assert_int_equal(stand_in_modules(), 1);
	stmlog_close();
}

static void want_no_report(void)
{
	setenv("STMLOG_OPTIONS", "report=none", 1);
}

static const struct test_fixture fixture = {want_no_report, NULL};

GROUP_WITH(fixture);
