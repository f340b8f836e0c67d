/* SPDX-License-Identifier: MIT */
#include "stm_session.h"

#include <stmlog/read.h>

struct stm_thread *stm_self;

static void set_up(void)
{
	static const struct stmlog_setup quiet = {.report = "none"};
	fixture_set_up();
	assert_int_equal(stmlog_open(&quiet), 0);
	assert_int_equal(stm_open(), 0);
	stm_self = stm_thread_begin();
	assert_non_null(stm_self);
}

static void tear_down(void)
{
	stm_thread_end(&stm_self);
	stm_close();
	stmlog_close();
	fixture_tear_down();
}

const struct test_fixture stm_session = {set_up, tear_down};
