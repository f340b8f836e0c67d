/* SPDX-License-Identifier: MIT
 * What the file says of losses to an attempt that came to nothing in the end. */
#include "written_file.h"

#include "losses.h"
#include "peer.h"

#define OBJECT ((uintptr_t)0x1000)

static struct {
	struct stmlog_thread *thread;
	uint64_t origin;
	bool is_to_commit;
} it;

static void it_writes(void *unused)
{
	(void)unused;
	it.thread = stmlog_thread_open(NULL);
	stmlog_start(it.thread);
	it.origin = stmlog_origin(it.thread, TB_HERE());
}

static void it_ends(void *unused)
{
	(void)unused;
	if (it.is_to_commit)
		stmlog_commit(it.thread);
	else
		abort_asked(it.thread, NULL);
	stmlog_thread_close(&it.thread);
}

/* This thread loses 2 ms to a peer that commits, gives up, or is still at it when the file is made. */
static void lose_to_peer(bool is_over, bool is_to_commit)
{
	struct peer peer;
	it.is_to_commit = is_to_commit;
	peer_start(&peer);
	peer_do(&peer, it_writes, NULL);
	stmlog_start(me());
	fake_clock_advance(2 * MS);
	abort_over_write(me(), OBJECT, it.origin, NULL);
	if (is_over)
		peer_do(&peer, it_ends, NULL);
	stmlog_retry(me());
	stmlog_commit(me());
	make_file();
	if (!is_over)
		peer_do(&peer, it_ends, NULL);
	peer_end(&peer);
}

/* The entry of this thread's loss; what the peer gave up is one of its own. */
static struct stmlog_entry_record loss_to_peer(void)
{
	size_t rank = 0;
	while (entry_record(rank).contention != STMLOG_WRITE_WRITE)
		rank++;
	return entry_record(rank);
}

TEST_WITH(session_fixture, what_was_lost_to_one_that_gave_up_was_for_nothing)
{
	lose_to_peer(true, false);
	struct stmlog_entry_record record = loss_to_peer();
	assert_int_equal(record.wasted, 1);
	assert_int_equal(record.wasted_ns, 2 * MS);
	assert_int_equal(record.undecided, 0);
	assert_true(has_info("wasted_aborts=1") && has_info("wasted_ns=2000000") && has_info("undecided_aborts=0"));
}

TEST_WITH(session_fixture, what_was_lost_to_one_that_committed_was_not)
{
	lose_to_peer(true, true);
	struct stmlog_entry_record record = loss_to_peer();
	assert_int_equal(record.wasted + record.wasted_ns + record.undecided, 0);
	assert_true(has_info("wasted_aborts=0") && has_info("wasted_ns=0") && has_info("undecided_aborts=0"));
}

TEST_WITH(session_fixture, what_was_lost_to_one_that_is_at_it_is_undecided)
{
	lose_to_peer(false, true);
	assert_int_equal(loss_to_peer().wasted, 0);
	assert_int_equal(loss_to_peer().undecided, 1);
	assert_true(has_info("wasted_aborts=0") && has_info("undecided_aborts=1"));
}
