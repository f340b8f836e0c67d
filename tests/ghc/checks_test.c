/* SPDX-License-Identifier: MIT
 * In a build that checks what functions require, a caller that breaks a requirement is stopped, in each room. */
#include "haskell.h"

#include "blame.h"
#include "blocked.h"
#include "child.h"
#include "hooks.h"
#include "leave.h"
#include "objects.h"
#include "trace.h"

static struct ghc_lane lane;

static void look_behind_the_last_entry(void)
{
	static struct hs_chunk chunk;
	hs_entry_at(&chunk, HS_CHUNK_ENTRIES);
}

TEST(calls_of_internals_are_checked)
{
	child_is_stopped(look_behind_the_last_entry, "rts.h");
}

static void publish_what_was_not_begun(void)
{
	static struct ring ring;
	ring_publish(&ring);
}

TEST(calls_of_writes_are_checked)
{
	child_is_stopped(publish_what_was_not_begun, "ring.c");
}

static void look_for_a_lane_that_was_never_made(void)
{
	lane_of(7);
}

TEST(calls_of_state_are_checked)
{
	child_is_stopped(look_for_a_lane_that_was_never_made, "lane.h");
}

static void build_without_callers(void)
{
	trace_own(&lane, NULL);
}

TEST(calls_of_stacks_are_checked)
{
	child_is_stopped(build_without_callers, "trace.c");
}

static void wake_by_an_unknown_object(void)
{
	objects_has_woken(OBJECTS_MAX, 1);
}

TEST(calls_of_moves_are_checked)
{
	child_is_stopped(wake_by_an_unknown_object, "objects.c");
}

static void lose_an_attempt_without_entries(void)
{
	blame_lost(&lane, NULL, "ZOMBIE");
}

TEST(calls_of_blame_are_checked)
{
	child_is_stopped(lose_an_attempt_without_entries, "blame.c");
}

static void wake_without_a_slot(void)
{
	blocked_wake(0);
}

TEST(calls_of_waits_are_checked)
{
	child_is_stopped(wake_without_a_slot, "blocked.c");
}

static void end_an_attempt_without_a_mark(void)
{
	unmeasured_end(NULL, 0);
}

TEST(calls_of_shim_are_checked)
{
	child_is_stopped(end_an_attempt_without_a_mark, "commits.c");
}

TEST(calls_of_life_are_checked)
{
	child_is_stopped(leave_after_fork, "leave.c");
}
