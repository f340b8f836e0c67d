/* SPDX-License-Identifier: MIT
 * In a build that checks what functions require, a caller that breaks a requirement is stopped, in each room. */
#include "haskell.h"

#include "ghc_blame.h"
#include "blocked.h"
#include "child.h"
#include "ghc_hooks.h"
#include "leave.h"
#include "tvars.h"
#include "walk.h"

static struct ghc_lane lane;

TEST_STOPPED("rts.h", calls_of_internals_are_checked)
{
	static struct hs_chunk chunk;
	hs_entry_at(&chunk, HS_CHUNK_ENTRIES);
}

TEST_STOPPED("ring.c", calls_of_writes_are_checked)
{
	static struct ring ring;
	ring_publish(&ring);
}

TEST_STOPPED("lane.h", calls_of_state_are_checked)
{
	lane_of(7);
}

TEST_STOPPED("walk.c", calls_of_stacks_are_checked)
{
	trace_own(&lane, NULL);
}

TEST_STOPPED("tvars.c", calls_of_moves_are_checked)
{
	objects_has_woken(OBJECTS_MAX, 1);
}

TEST_STOPPED("ghc_blame.c", calls_of_blame_are_checked)
{
	blame_lost(&lane, NULL, "ZOMBIE");
}

TEST_STOPPED("blocked.c", calls_of_waits_are_checked)
{
	blocked_wake(0);
}

TEST_STOPPED("commits.c", calls_of_shim_are_checked)
{
	unmeasured_end(NULL, 0);
}

TEST(calls_of_life_are_checked)
{
	child_is_stopped(leave_after_fork, "leave.c");
}
