/* SPDX-License-Identifier: MIT
 * In a build that checks what functions require, a caller that breaks a requirement is stopped, in each room. */
#include "attempts.h"
#include "child.h"
#include "heap.h"
#include "loss.h"
#include "profile.h"
#include "recorder.h"
#include "registry.h"
#include "runtimes.h"
#include "sections.h"
#include "session_fixture.h"
#include "watcher.h"
#include "test.h"

static void take_the_lowest_of_none(void)
{
	struct heap heap = {.len = 0};
	heap_min_key(&heap);
}

TEST(calls_of_containers_are_checked)
{
	child_is_stopped(take_the_lowest_of_none, "heap.h");
}

static void leave_without_entering(void)
{
	runtimes_leave(0);
}

TEST(calls_of_session_are_checked)
{
	child_is_stopped(leave_without_entering, "runtimes.c");
}

static void ask_for_an_attempt_that_has_not_begun(void)
{
	static const struct attempts attempts;
	attempts_outcome(&attempts, 1);
}

TEST(calls_of_conflicts_are_checked)
{
	child_is_stopped(ask_for_an_attempt_that_has_not_begun, "attempts.c");
}

static void read_a_ledger_that_nobody_holds(void)
{
	static const struct ledger ledger;
	ledger_account_before_detour(&ledger);
}

TEST(calls_of_timelogs_are_checked)
{
	child_is_stopped(read_a_ledger_that_nobody_holds, "ledger.h");
}

static void go_back_in_time(void)
{
	static const struct account account = {.word = (AO_t)100 << ACCOUNT_STATE_BITS};
	account_elapsed_ns(&account, 99);
}

TEST(calls_of_accounts_are_checked)
{
	child_is_stopped(go_back_in_time, "account.h");
}

static void read_into_no_room(void)
{
	static const struct track track;
	struct track_position position = {.run = 0};
	struct track_record record;
	struct track_gap gap;
	track_read(&track, &position, 1, 0, &record, 0, &gap);
}

TEST(calls_of_timeline_are_checked)
{
	child_is_stopped(read_into_no_room, "track.c");
}

static void step_from_no_node(void)
{
	static struct stmlog_profile profile;
	profile_step(&profile, 7, 1);
}

TEST(calls_of_profile_are_checked)
{
	child_is_stopped(step_from_no_node, "profile.c");
}

static void look_at_the_registry_without_its_lock(void)
{
	registry_is_empty();
}

TEST(calls_of_threads_are_checked)
{
	child_is_stopped(look_at_the_registry_without_its_lock, "registry.c");
}

static void end_a_wait_that_has_not_begun(void)
{
	loss_resume(stmlog_thread_open(NULL), true);
}

TEST_WITH(session_fixture, calls_of_hooks_are_checked)
{
	child_is_stopped(end_a_wait_that_has_not_begun, "loss.c");
}

static void record_sections_for_a_report(void)
{
	static const struct sections sections = {.use = SECTIONS_OF_REPORT};
	sections_record(&sections, "/dev/null");
}

TEST(calls_of_output_are_checked)
{
	child_is_stopped(record_sections_for_a_report, "record.c");
}

TEST_WITH(session_fixture, calls_of_life_are_checked)
{
	child_is_stopped(watcher_before_filter, "watcher.c");
}
