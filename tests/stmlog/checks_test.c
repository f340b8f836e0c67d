/* SPDX-License-Identifier: MIT
 * In a build that checks what functions require, a caller that breaks a requirement is stopped, in each room. */
#include "attempts.h"
#include "child.h"
#include "heap.h"
#include "life.h"
#include "loss.h"
#include "profile.h"
#include "recorder.h"
#include "registry.h"
#include "runtimes.h"
#include "sections.h"
#include "session_fixture.h"
#include "test.h"

TEST_STOPPED("heap.h", calls_of_containers_are_checked)
{
	struct heap heap = {.len = 0};
	heap_min_key(&heap);
}

TEST_STOPPED("runtimes.c", calls_of_session_are_checked)
{
	runtimes_leave(0);
}

TEST_STOPPED("attempts.c", calls_of_conflicts_are_checked)
{
	static const struct attempts attempts;
	attempts_outcome(&attempts, 1);
}

TEST_STOPPED("ledger.h", calls_of_timelogs_are_checked)
{
	static const struct ledger ledger;
	ledger_account_before_detour(&ledger);
}

TEST_STOPPED("account.h", calls_of_accounts_are_checked)
{
	static const struct account account = {.word = (AO_t)100 << ACCOUNT_STATE_BITS};
	account_elapsed_ns(&account, 99);
}

TEST_STOPPED("track.c", calls_of_timeline_are_checked)
{
	static const struct track track;
	struct track_position position = {.run = 0};
	struct track_record record;
	struct track_gap gap;
	track_read(&track, &position, 1, 0, &record, 0, &gap);
}

TEST_STOPPED("profile.c", calls_of_profile_are_checked)
{
	static struct stmlog_profile profile;
	profile_step(&profile, 7, 1);
}

TEST_STOPPED("registry.c", calls_of_threads_are_checked)
{
	registry_is_empty(); /* without its lock */
}

static void end_a_wait_that_has_not_begun(void)
{
	loss_resume(stmlog_thread_open(NULL), true);
}

TEST_WITH(session_fixture, calls_of_hooks_are_checked)
{
	child_is_stopped(end_a_wait_that_has_not_begun, "loss.c");
}

TEST_STOPPED("record.c", calls_of_output_are_checked)
{
	static const struct sections sections = {.use = SECTIONS_OF_REPORT};
	sections_record(&sections, "/dev/null");
}

TEST_WITH(session_fixture, calls_of_life_are_checked)
{
	child_is_stopped(watcher_before_filter, "watcher.c");
}
