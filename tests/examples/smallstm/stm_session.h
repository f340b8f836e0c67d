/* SPDX-License-Identifier: MIT
 *
 * For one test: smallstm is open, with a profiler that prints nothing, and the test's thread has begun. Afterwards all
 * is closed. */
#ifndef STM_SESSION_H
#define STM_SESSION_H

#include "fixture.h"

#include <stmlog/stmlog.h>

#include "smallstm.h"

static struct stm_thread *self;

static inline void stm_session_set_up(void)
{
	static const struct stmlog_setup quiet = {.runtime = "smallstm", .report = "none"};
	static const struct stm_setup settings = {4, STM_ABORT_SELF, false};
	fixture_set_up();
	assert_int_equal(stmlog_open(&quiet), 0);
	assert_int_equal(stm_open(&settings), 0);
	self = stm_thread_begin();
}

static inline void stm_session_tear_down(void)
{
	stm_thread_end(&self);
	stm_close();
	stmlog_close();
	fixture_tear_down();
}

static const struct test_fixture stm_session_fixture = {stm_session_set_up, stm_session_tear_down};

#endif
