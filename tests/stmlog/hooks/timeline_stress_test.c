/* SPDX-License-Identifier: MIT
 * Timelines that are read, started and stopped while threads record. */

#include <pthread.h>
#include <stdatomic.h>

#include <stmlog/agent.h>
#include <stmlog/timeline.h>

#include "mem.h"
#include "stress.h"
#include "test.h"

enum { THREADS = 3, IDS = 64 };

static atomic_int running;
static atomic_uint_least32_t ids[THREADS];
static uint64_t produced[THREADS]; /* by the time the thread has ended */
static size_t transactions;

/* Of each three transactions one aborts first. */
static void *transact(void *arg)
{
	size_t self = (size_t)(uintptr_t)arg;
	struct stmlog_thread *me = stmlog_thread_open(NULL);
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "STRESS");
	uint64_t events = 2; /* attach, detach */
	atomic_store(&ids[self], stmlog_thread_id(me));
	for (size_t i = 0; i < transactions; i++) {
		stmlog_start(me);
		events += 2;
		if (i % 3 == 0) {
			stmlog_abort(me, &loss);
			stmlog_retry(me);
			events += 3;
		}
		stmlog_commit(me);
	}
	produced[self] = events;
	stmlog_thread_close(&me);
	atomic_fetch_sub(&running, 1);
	return NULL;
}

static void start_threads(pthread_t *threads)
{
	atomic_store(&running, THREADS);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, transact, (void *)(uintptr_t)i), 0);
}

static void join_threads(pthread_t *threads)
{
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void open_session(void)
{
	assert_int_equal(stmlog_open(&(struct stmlog_setup){.report = "none"}), 0);
}

/* Adds up what a taking has of each thread; returns how much it had. */
static size_t count(uint64_t seen[IDS])
{
	struct stmlog_timeline_fault fault;
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = stmlog_timeline_take();
	assert_non_null(timeline);
	if (!stmlog_timeline_check(timeline, &fault))
		fail_msg("event %zu of %zu: %s", fault.index, timeline->len, fault.what);
	for (size_t i = 0; i < timeline->len; i++) {
		const struct stmlog_event *event = &timeline->events[i];
		assert_in_range(event->thread, 1, IDS - 1);
		seen[event->thread] += event->kind == STMLOG_EVENT_MISSING ? event->argument : 1;
	}
	size_t len = timeline->len;
	return len;
}

static void record_and_read(size_t events, enum stmlog_timeline_mode mode)
{
	pthread_t threads[THREADS];
	uint64_t seen[IDS] = {0};
	open_session();
	assert_int_equal(stmlog_timeline_prepare(events, mode), 0);
	assert_int_equal(stmlog_timeline_start(), 0);
	start_threads(threads);
	while (atomic_load(&running) > 0)
		count(seen);
	join_threads(threads);
	while (count(seen) > 0)
		;
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(seen[atomic_load(&ids[i])], produced[i]);
	stmlog_close();
}

TEST(recorded_and_missing_are_all_that_was_produced)
{
	size_t before = mem_live_bytes();
	record_and_read(100000, STMLOG_TIMELINE_RING);
	record_and_read(1000, STMLOG_TIMELINE_RING);
	record_and_read(8, STMLOG_TIMELINE_RING);
	record_and_read(1000, STMLOG_TIMELINE_GROW);
	record_and_read(100000, STMLOG_TIMELINE_GROW);
	assert_int_equal(mem_live_bytes(), before);
}

TEST(it_is_started_and_stopped_at_any_time)
{
	pthread_t threads[THREADS];
	size_t before = mem_live_bytes();
	open_session();
	start_threads(threads);
	for (size_t n = 0; atomic_load(&running) > 0; n++) {
		uint64_t seen[IDS] = {0};
		stmlog_timeline_start();
		count(seen);
		if (n % 2 == 0)
			stmlog_timeline_stop();
		count(seen);
	}
	join_threads(threads);
	stmlog_close();
	assert_int_equal(mem_live_bytes(), before);
}

static void choose_transactions(void)
{
	transactions = stress_times(20000);
}

static const struct test_fixture fixture = {choose_transactions, NULL};

GROUP_WITH(fixture);
