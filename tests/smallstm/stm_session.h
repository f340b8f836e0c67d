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

static inline int stm_session_setup(void **state)
{
	static const struct stmlog_setup quiet = {.runtime = "smallstm", .report = "none"};
	static const struct stm_setup settings = {4, STM_ABORT_SELF, false};
	fixture_setup(state);
	assert_int_equal(stmlog_open(&quiet), 0);
	assert_int_equal(stm_open(&settings), 0);
	self = stm_thread_begin();
	return 0;
}

static inline int stm_session_teardown(void **state)
{
	stm_thread_end(&self);
	stm_close();
	stmlog_close();
	return fixture_teardown(state);
}

#define STM_TEST(claim) cmocka_unit_test_setup_teardown(claim, stm_session_setup, stm_session_teardown)

#endif
