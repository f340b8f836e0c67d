/* SPDX-License-Identifier: MIT
 * Reading the counters of other threads. Arrays stand for libitm's memory. */

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "random.h"
#include "session_fixture.h"
#include "test.h"
#include "watch.h"

/* A thread: libitm's struct, and the agent's. */
struct peer {
	struct itm_watched watched;
	const char *slot;
	struct transaction {
		_Alignas(8) char before[0xf0];
		uint32_t counters[ITM_REASONS];
	} transaction;
};

static struct peer peers[3];

static void set_up(void)
{
	session_set_up();
	memset(peers, 0, sizeof peers);
	for (size_t i = 0; i < 3; i++) {
		peers[i].watched.thread = stmlog_thread_self();
		peers[i].slot = (const char *)&peers[i].transaction;
	}
	/* Nothing is watched, nothing counted. */
	itm_watch_before_fork();
	itm_watch_after_fork_in_child(&peers[0].watched);
	itm_watch_allow(true);
	itm_layout_use(&(struct itm_layout){.counters = offsetof(struct transaction, counters)});
}

static const struct test_fixture fixture = {set_up, session_tear_down};

static uint64_t handed_over(void)
{
	struct stmlog_account account;
	stmlog_account_read(stmlog_thread_self(), &account);
	assert_int_equal(account.unmeasured_commits, 0);
	return account.unmeasured_aborts;
}

static uint64_t sum_of(const uint64_t sums[ITM_REASONS])
{
	uint64_t sum = 0;
	for (size_t i = 0; i < ITM_REASONS; i++)
		sum += sums[i];
	return sum;
}

static void begin(struct peer *peer)
{
	itm_watch(&peer->watched, &peer->slot);
}

TEST_WITH(fixture, only_what_a_counter_has_moved_is_handed_over)
{
	uint64_t sums[ITM_REASONS];
	begin(&peers[0]);
	peers[0].transaction.counters[ITM_REASON_LOCKED_READ] = 5;
	itm_watch_count_all(sums);
	assert_int_equal(handed_over(), 5);
	peers[0].transaction.counters[ITM_REASON_LOCKED_READ] = 7;
	peers[0].transaction.counters[ITM_REASON_INIT_METHOD_GROUP] = 1;
	itm_watch_count_all(sums);
	itm_watch_count_all(sums);
	assert_int_equal(handed_over(), 8);
	assert_int_equal(sums[ITM_REASON_LOCKED_READ], 7);
	assert_int_equal(sums[ITM_REASON_INIT_METHOD_GROUP], 1);
	assert_int_equal(sum_of(sums), 8);
	itm_unwatch(&peers[0].watched);
}

TEST_WITH(fixture, a_thread_that_ends_is_read_once_more_and_then_by_nobody_else)
{
	uint64_t sums[ITM_REASONS];
	for (size_t i = 0; i < 3; i++)
		begin(&peers[i]);
	peers[1].transaction.counters[0] = 4;
	itm_unwatch(&peers[1].watched); /* from the middle of the list */
	assert_int_equal(handed_over(), 4);
	peers[1].slot = (const char *)1; /* must not be read any more */
	peers[0].transaction.counters[0] = 1;
	peers[2].transaction.counters[0] = 2;
	itm_watch_count_all(sums);
	assert_int_equal(handed_over(), 7);
	assert_int_equal(sums[0], 7);
	itm_unwatch(&peers[2].watched);
	itm_unwatch(&peers[0].watched);
	assert_int_equal(handed_over(), 7);
}

TEST_WITH(fixture, what_a_thread_counts_after_its_end_it_hands_over_itself)
{
	uint64_t sums[ITM_REASONS];
	begin(&peers[0]);
	peers[0].transaction.counters[0] = 4;
	itm_unwatch(&peers[0].watched);
	peers[0].transaction.counters[0] = 6;
	itm_unwatch(&peers[0].watched);
	assert_int_equal(handed_over(), 6);
	itm_watch_count_all(sums);
	assert_int_equal(sums[0], 6);
}

TEST_WITH(fixture, before_its_first_transaction_a_thread_has_counted_nothing)
{
	peers[0].slot = NULL;
	begin(&peers[0]);
	itm_unwatch(&peers[0].watched);
	assert_int_equal(handed_over(), 0);
}

TEST_WITH(fixture, a_counter_that_went_back_is_that_of_a_new_transaction)
{
	begin(&peers[0]);
	peers[0].transaction.counters[0] = 100;
	itm_watch_count(&peers[0].watched);
	peers[0].transaction.counters[0] = 3;
	itm_watch_count(&peers[0].watched);
	assert_int_equal(handed_over(), 103);
	/* A struct at another address counts from 0, even if its counters are higher. */
	peers[1].transaction.counters[0] = 250;
	peers[0].slot = peers[1].slot;
	itm_unwatch(&peers[0].watched);
	assert_int_equal(handed_over(), 353);
}

TEST_WITH(fixture, a_counter_may_go_once_around)
{
	begin(&peers[0]);
	peers[0].transaction.counters[0] = UINT32_MAX - 1;
	itm_watch_count(&peers[0].watched);
	assert_int_equal(handed_over(), UINT32_MAX - 1);
	peers[0].transaction.counters[0] = 3;
	itm_unwatch(&peers[0].watched);
	assert_int_equal(handed_over(), UINT32_MAX + UINT64_C(4));
}

TEST_WITH(fixture, counters_that_are_not_known_are_not_read)
{
	uint64_t sums[ITM_REASONS];
	itm_watch_allow(false);
	peers[0].slot = (const char *)1;
	begin(&peers[0]);
	itm_watch_count_all(sums);
	itm_unwatch(&peers[0].watched);
	assert_int_equal(sum_of(sums), 0);
	assert_int_equal(handed_over(), 0);
}

TEST_WITH(fixture, a_forked_child_watches_its_own_thread_and_has_counted_nothing)
{
	uint64_t sums[ITM_REASONS];
	begin(&peers[0]);
	begin(&peers[1]);
	peers[0].transaction.counters[0] = 9;
	itm_watch_before_fork();
	itm_watch_after_fork_in_child(&peers[0].watched);
	peers[1].slot = (const char *)1;
	itm_watch_count_all(sums);
	assert_int_equal(sum_of(sums), 0);
	assert_int_equal(handed_over(), 0);
	peers[0].transaction.counters[0] = 11;
	itm_unwatch(&peers[0].watched);
	assert_int_equal(handed_over(), 2);
}

TEST_WITH(fixture, a_fork_changes_nothing_for_the_parent)
{
	uint64_t sums[ITM_REASONS];
	begin(&peers[0]);
	peers[0].transaction.counters[0] = 9;
	itm_watch_before_fork();
	itm_watch_after_fork_in_parent();
	itm_watch_count_all(sums);
	assert_int_equal(sums[0], 9);
	itm_unwatch(&peers[0].watched);
}

TEST_WITH(fixture, at_random_all_that_was_counted_arrives_once)
{
	struct random random = {.state = 4};
	uint64_t sums[ITM_REASONS], model = 0;
	for (int step = 0; step < 20000; step++) {
		struct peer *peer = &peers[random_below(&random, 3)];
		switch (random_below(&random, 5)) {
		case 0:
			begin(peer);
			break;
		case 1:
			itm_unwatch(&peer->watched);
			break;
		case 2:
			itm_watch_count_all(sums);
			break;
		default:
			if (peer->watched.link == NULL) /* counts only while it lives */
				break;
			peer->transaction.counters[random_below(&random, ITM_REASONS)] += 3;
			model += 3;
		}
	}
	for (size_t i = 0; i < 3; i++)
		itm_unwatch(&peers[i].watched);
	itm_watch_count_all(sums);
	assert_int_equal(sum_of(sums), model);
	assert_int_equal(handed_over(), model);
}

static volatile sig_atomic_t ticks;

/* As _exit() does in a handler. */
static void count_in_handler(int signal)
{
	uint64_t sums[ITM_REASONS];
	(void)signal;
	ticks = ticks + 1;
	itm_watch_count_all(sums);
}

/* A process that hangs here is ended by the alarm. */
TEST_WITH(fixture, a_handler_that_ends_the_process_waits_for_no_lock_of_its_own_thread)
{
	const struct sigaction action = {.sa_handler = count_in_handler, .sa_flags = SA_RESTART};
	const struct itimerspec every = {{0, 20000}, {0, 20000}};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	timer_t timer;
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	alarm(60);
	assert_int_equal(timer_settime(timer, 0, &every, NULL), 0);
	while (ticks < 2000) {
		begin(&peers[0]);
		itm_unwatch(&peers[0].watched);
	}
	timer_delete(timer);
	alarm(0);
}
