/* SPDX-License-Identifier: MIT
 * What the holder of the serial lock is charged with. */
#include "stories.h"

TEST(who_holds_the_serial_lock_is_charged_with_the_waits_for_it)
{
	made_begin(&made);
	abort_for_lock(ABORTS);
	struct stmlog_entry_record *entry = made_loss(&made, STMLOG_WAIT, STMLOG_INEVITABLE, "RESTART_WAIT", 20, LOST);
	entry->local = at("take", 51);
	entry->remote = made.entries[0].remote;
	made_loss(&made, STMLOG_WAIT, STMLOG_INEVITABLE, "RESTART_WAIT", 20, LOST / 10)->remote = at("other", 80);
	assert_found(FINDING_LOCK_HELD, ABORTS, LOST + ABORTS * ABORT_NS);
	assert_int_equal(causes(), 1);
}
