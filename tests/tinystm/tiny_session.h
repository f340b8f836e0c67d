/* SPDX-License-Identifier: MIT
 *
 * For one test: the stand-in for TinySTM with the module, and a profiler with a fake clock; the test's thread is in
 * both. Afterwards all is closed, but the module stays registered for the whole process. */
#ifndef TINY_SESSION_H
#define TINY_SESSION_H

#include "fixture.h"

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "session_fixture.h"
#include "stand_in.h"
#include "stmlog_tinystm.h"

static inline void tiny_session_set_up(void)
{
	session_set_up();
	stm_init();
	if (stand_in_modules() == 0)
		assert_int_equal(stmlog_tinystm_init(), 0);
	stm_init_thread();
}

static inline void tiny_session_tear_down(void)
{
	stmlog_timelog_destroy(&fixture_log);
	stm_exit_thread();
	session_tear_down();
}

static const struct test_fixture tiny_session_fixture = {tiny_session_set_up, tiny_session_tear_down};

/* A transaction whose only attempt fails for `reason`. Returns the latest loss. */
static inline struct stmlog_entry tiny_lose(enum stand_in_reason reason)
{
	stmlog_timelog_clear(fixture_log);
	stand_in_start();
	fake_clock_advance(100);
	stand_in_give_up(reason);
	return entry_at(fixture_log, 0);
}

static inline void assert_cause(const struct stmlog_entry *entry, enum stmlog_reason reason,
	enum stmlog_contention_kind contention, const char *word)
{
	assert_int_equal(entry->cause.reason, reason);
	assert_int_equal(entry->cause.contention, contention);
	assert_string_equal(entry->cause.detail, word);
}

#endif
