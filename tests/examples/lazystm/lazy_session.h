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

static inline void lazy_session_set_up(void)
{
	static const struct stmlog_setup quiet = {.runtime = "lazystm", .report = "none"};
	fixture_set_up();
	assert_int_equal(stmlog_open(&quiet), 0);
	assert_int_equal(lazy_open(), 0);
	self = lazy_thread_begin();
	assert_non_null(self);
}

static inline void lazy_session_tear_down(void)
{
	lazy_thread_end(&self);
	lazy_close();
	stmlog_close();
	fixture_tear_down();
}

static const struct test_fixture lazy_session_fixture = {lazy_session_set_up, lazy_session_tear_down};

#endif
