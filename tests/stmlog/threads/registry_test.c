/* SPDX-License-Identifier: MIT
 * Threads and lanes that end in the middle of a transaction, in each state of their account. */

#include <pthread.h>
#include <unistd.h>

#include "child.h"
#include "losses.h"
#include "misuse.h"
#include "mem.h"
#include "peer.h"
#include "registry.h"
#include "session_fixture.h"
#include "test.h"

/* What a handle is in when its thread ends. */
enum { IN_ATTEMPT, IN_PAUSE, IN_WAIT, IN_OTHER, IN_BLOCKED, IN_BLOCKED_AFTER_PAUSE, WAYS };

static void go_into(struct stmlog_thread *handle, int way)
{
	stmlog_push(handle, BYTECODE_SITE(1, 0));
	stmlog_start(handle);
	if (way == IN_PAUSE || way == IN_BLOCKED_AFTER_PAUSE)
		pause_over_write(handle, ACCOUNTS, stmlog_origin(handle, TB_NO_SITE), "LOCKED");
	if (way == IN_WAIT)
		wait_for_inevitable(handle, 0, "INEVITABLE");
	if (way == IN_OTHER)
		stmlog_wait_begin(handle, NULL);
	if (way == IN_BLOCKED_AFTER_PAUSE)
		stmlog_wait_end(handle);
	if (way >= IN_BLOCKED) {
		abort_asked(handle, "RETRY");
		wait_blocked(handle);
	}
	fake_clock_advance(MS);
}

static void *end_in(void *way)
{
	go_into(stmlog_thread_open(NULL), *(const int *)way);
	return NULL;
}

static void *be_cancelled_in(void *way)
{
	end_in(way);
	pthread_cancel(pthread_self());
	pthread_testcancel();
	return NULL;
}

/* The next thread gets the record of the one that has ended, and must be able to record with it. */
static void *transact(void *unused)
{
	struct stmlog_thread *me = stmlog_thread_open(NULL);
	for (int i = 0; i < 100; i++) {
		stmlog_push(me, BYTECODE_SITE(2 + (unsigned)i, 0));
		stmlog_start(me);
		abort_asked(me, "RETRY");
		stmlog_retry(me);
		stmlog_commit(me);
	}
	struct stmlog_account account;
	stmlog_account_read(me, &account);
	assert_int_equal(account.commits, 100);
	return unused;
}

/* Transacts with weights, and leaves a loss with one. */
static void *transact_with_weights(void *unused)
{
	struct stmlog_thread *me = stmlog_thread_open(NULL);
	stmlog_push(me, BYTECODE_SITE(1, 0));
	stmlog_set_weight(me, 4);
	stmlog_start(me);
	stmlog_set_loss_weight(me, 3);
	return unused;
}

/* Waits before its first transaction. */
static void *wait_first(void *unused)
{
	struct stmlog_thread *me = stmlog_thread_open(NULL);
	OWNED(stmlog_timelog_destroy) struct stmlog_timelog *log = stmlog_timelog_create(1);
	stmlog_timelog_activate(log);
	wait_for_inevitable(me, 0, "INEVITABLE");
	fake_clock_advance(MS);
	stmlog_wait_end(me);
	assert_true(entry_at(log, 0).estimated_ns == MS);
	assert_int_equal(entry_at(log, 0).site.position, 0);
	return unused;
}

TEST_WITH(session_fixture, a_thread_begins_without_what_the_one_before_has_left)
{
	run_in_thread(transact_with_weights, NULL);
	run_in_thread(wait_first, NULL);
}

TEST_WITH(session_fixture, a_thread_may_end_in_any_state)
{
	for (int way = 0; way < WAYS; way++) {
		run_in_thread(end_in, &way);
		run_in_thread(transact, NULL);
	}
}

TEST_WITH(session_fixture, a_thread_may_be_cancelled_in_any_state)
{
	for (int way = 0; way < WAYS; way++) {
		run_in_thread(be_cancelled_in, &way);
		run_in_thread(transact, NULL);
	}
}

TEST_WITH(session_fixture, a_lane_may_be_closed_in_any_state)
{
	for (int way = 0; way < WAYS; way++) {
		for (int is_released = 0; is_released < 2; is_released++) {
			OWNED(stmlog_thread_close) struct stmlog_thread *lane = stmlog_thread_open("lane");
			stmlog_claim(lane);
			go_into(lane, way);
			if (is_released)
				stmlog_release(lane);
		}
		run_in_thread(transact, NULL);
	}
}

TEST_WITH(session_fixture, a_process_may_end_in_any_state)
{
	for (int way = 0; way < WAYS; way++) {
		if (in_forked_child()) {
			go_into(stmlog_thread_open(NULL), way);
			stmlog_close();
			_exit(0);
		}
	}
}

/* A thread that loses something, so that its record gets memory for its losses. */
static struct stmlog_thread *open_lane_that_loses(void)
{
	struct stmlog_thread *lane = stmlog_thread_open("lane");
	stmlog_claim(lane);
	for (int i = 0; i < 2; i++) {
		stmlog_start(lane);
		abort_asked(lane, "RETRY");
	}
	stmlog_retry(lane);
	stmlog_commit(lane);
	return lane;
}

TEST_WITH(session_fixture, a_record_that_has_kept_its_memory_is_used_before_one_that_has_given_it_back)
{
	enum { LANES = POOL_MAX + 1 }; /* more than keep their memory */
	struct stmlog_thread *lanes[LANES];
	for (int i = 0; i < LANES; i++)
		lanes[i] = open_lane_that_loses();
	for (int i = 0; i < LANES; i++)
		stmlog_thread_close(&lanes[i]);
	assert_non_null(registry.shrunk);
	OWNED(stmlog_thread_close) struct stmlog_thread *lane = stmlog_thread_open("next");
	assert_true(lane->own_log.room != 0);
}

/* As many as a program with many threads has at once. */
TEST_WITH(session_fixture, records_of_500_threads_that_have_ended_keep_their_memory)
{
	enum { LANES = 500 };
	struct stmlog_thread *lanes[LANES];
	for (int i = 0; i < LANES; i++)
		lanes[i] = open_lane_that_loses();
	for (int i = 0; i < LANES; i++)
		stmlog_thread_close(&lanes[i]);
	assert_null(registry.shrunk);
	size_t live = mem_live_bytes();
	for (int i = 0; i < LANES; i++)
		lanes[i] = open_lane_that_loses();
	assert_int_equal(mem_live_bytes(), live);
	for (int i = 0; i < LANES; i++)
		stmlog_thread_close(&lanes[i]);
}

static bool was_locked;

static uint64_t note_lock(void)
{
	was_locked = was_locked || registry_is_locked();
	return fake_clock_now_ns();
}

TEST(a_thread_that_begins_reads_the_clock_without_the_lock)
{
	const struct stmlog_setup quiet = {.runtime = "test", .report = "none"};
	stmlog_set_clock(note_lock);
	assert_int_equal(stmlog_open(&quiet), 0);
	was_locked = false;
	assert_non_null(stmlog_thread_open(NULL));
	assert_false(was_locked);
	stmlog_close();
	stmlog_set_clock(NULL);
}
