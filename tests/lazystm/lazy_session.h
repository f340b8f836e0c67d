/* SPDX-License-Identifier: MIT
 *
 * For one test: lazystm is open, with a profiler that prints nothing, and the test's thread has begun. Afterwards all
 * is closed, and no frame is live. */
#ifndef LAZY_SESSION_H
#define LAZY_SESSION_H

#include "fixture.h"

#include <stmlog/stmlog.h>

#include "lazystm.h"

static struct lazy_thread *self;

static inline int lazy_session_setup(void **state)
{
	static const struct stmlog_setup quiet = {.runtime = "lazystm", .report = "none"};
	fixture_setup(state);
	assert_int_equal(stmlog_open(&quiet), 0);
	assert_int_equal(lazy_open(), 0);
	self = lazy_thread_begin();
	assert_non_null(self);
	return 0;
}

static inline int lazy_session_teardown(void **state)
{
	lazy_thread_end(&self);
	lazy_close();
	stmlog_close();
	return fixture_teardown(state);
}

#define LAZY_TEST(claim) cmocka_unit_test_setup_teardown(claim, lazy_session_setup, lazy_session_teardown)

#endif
