/* SPDX-License-Identifier: MIT
 * Threads that come and go while they meet, pause for and abort one another, make and clear timelogs, and are
 * reported on: each one's sums are its own count of what it lost, and nothing is left over in the end. */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include <atomic_ops.h>

#include <stmlog/runtime.h>

#include "mem.h"
#include "misuse.h"
#include "random.h"
#include "stress.h"

#define SLOTS_MAX 8
#define SLOTS (is_below_drd() ? 4u : SLOTS_MAX)
#define OBJECTS 6
#define TRANSACTIONS_EACH 20

/* The newest attempt of a slot: its thread may have ended, and the record may belong to another thread by now. Thread
 * and number belong together, under the lock: a number of another thread is misuse, because that attempt may not have
 * begun. */
struct seen {
	pthread_mutex_t lock;
	struct stmlog_other other;
};

struct worker {
	struct stmlog_thread *thread;
	struct tb_stack *stack;
	struct stmlog_timelog *log;
	struct random random;
	uint64_t lost; /* aborts, pauses and waits that make an entry, since the timelog was made */
	unsigned slot;
};

static struct seen seen[SLOTS_MAX];
static volatile AO_t defects;
static volatile AO_t has_ended;

static void count_defect(const char *claim)
{
	fprintf(stderr, "does not hold: %s\n", claim);
	AO_fetch_and_add1(&defects);
}

/* In any thread, where cmocka's assertions cannot be used. */
#define claim(condition) ((condition) ? (void)0 : count_defect(#condition))

static bool one_in(struct worker *worker, uint32_t n)
{
	return random_below(&worker->random, n) == 0;
}

static uintptr_t some_object(struct worker *worker)
{
	return 64 * (1 + (uintptr_t)random_below(&worker->random, OBJECTS));
}

static struct stmlog_other somebody(struct worker *worker)
{
	struct seen *slot = &seen[random_below(&worker->random, SLOTS)];
	pthread_mutex_lock(&slot->lock);
	struct stmlog_other other = slot->other;
	pthread_mutex_unlock(&slot->lock);
	return stmlog_other_make(other.thread, one_in(worker, 4) ? 0 : other.attempt);
}

static enum stmlog_conflict some_conflict(struct worker *worker)
{
	return (enum stmlog_conflict)random_below(&worker->random, STMLOG_CONFLICTS);
}

/* ---- a transaction ---- */

static void be_seen(struct worker *worker)
{
	struct seen *slot = &seen[worker->slot];
	pthread_mutex_lock(&slot->lock);
	slot->other = stmlog_other_make(worker->thread, stmlog_attempt(worker->thread));
	pthread_mutex_unlock(&slot->lock);
}

static void write_and_go_deeper(struct worker *worker)
{
	uint32_t depth = random_below(&worker->random, 5);
	for (uint32_t i = 0; i < depth; i++) {
		tb_push(worker->stack, tb_site_make(30 + i, worker->slot));
		stmlog_wrote(worker->thread, some_object(worker));
	}
	if (one_in(worker, 8))
		stmlog_became_inevitable(worker->thread);
	for (uint32_t i = 0; i < depth; i++)
		tb_pop(worker->stack);
}

static void meet(struct worker *worker)
{
	enum stmlog_conflict conflict = some_conflict(worker);
	stmlog_contention(worker->thread, conflict, some_object(worker), somebody(worker), "MET");
	if (one_in(worker, 2))
		stmlog_contention_overlap(worker->thread, STMLOG_OVERLAP_STRIPE, some_object(worker));
	if (conflict != STMLOG_INEVITABLE_MEETS_SAME && one_in(worker, 2))
		stmlog_abort_other(worker->thread);
	if (one_in(worker, 3)) {
		stmlog_pause_self(worker->thread);
		worker->lost++;
		sched_yield();
		stmlog_pause_end(worker->thread);
	}
}

/* Returns whether the attempt has aborted. */
static bool may_abort(struct worker *worker)
{
	switch (random_below(&worker->random, 5)) {
	case 0:
		stmlog_contention(worker->thread, some_conflict(worker), some_object(worker), somebody(worker), "LOST");
		stmlog_abort_self(worker->thread);
		break;
	case 1:
		stmlog_aborted_by(worker->thread, (struct stmlog_other){NULL, 0}, STMLOG_WRITE_WRITE, "TOLD");
		break;
	case 2:
		stmlog_abort_asked(worker->thread, NULL);
		break;
	default:
		return false;
	}
	worker->lost++;
	return true;
}

static void transact(struct worker *worker)
{
	if (one_in(worker, 10)) {
		stmlog_wait_inevitable(worker->thread, somebody(worker), NULL);
		worker->lost++;
		stmlog_wait_end(worker->thread);
	}
	stmlog_start(worker->thread);
	for (;;) {
		be_seen(worker);
		write_and_go_deeper(worker);
		if (one_in(worker, 2))
			meet(worker);
		if (!may_abort(worker))
			break;
		stmlog_retry(worker->thread);
	}
	if (one_in(worker, 6)) {
		struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_NONE, "OVER");
		pause.local = tb_current(worker->stack);
		stmlog_waited(worker->thread, &pause, random_below(&worker->random, 100000));
		worker->lost++;
	}
	stmlog_commit(worker->thread);
}

/* ---- its timelogs ---- */

static void check_sums(struct worker *worker)
{
	struct stmlog_totals totals;
	struct stmlog_entry entry;
	stmlog_timelog_totals(worker->log, &totals);
	uint64_t count = totals.evicted.count, recorded = 0;
	struct stmlog_cursor cursor = stmlog_timelog_cursor(worker->log);
	while (stmlog_cursor_next(&cursor, &entry) == STMLOG_NEXT_ENTRY) {
		count += entry.count;
		claim(entry.wasted + entry.undecided <= entry.count);
		claim(entry.wasted_ns <= entry.lost_ns);
	}
	for (unsigned r = 0; r < STMLOG_REASONS; r++)
		for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
			recorded += totals.by_cause[r][c].count;
	claim(count == recorded);
	claim(recorded == worker->lost);
}

/* Clears it, or makes another one, as programs do. */
static void begin_anew(struct worker *worker)
{
	check_sums(worker);
	if (one_in(worker, 2)) {
		stmlog_timelog_clear(worker->log);
	} else {
		stmlog_timelog_destroy(&worker->log);
		worker->log = stmlog_timelog_create(random_below(&worker->random, 6), STMLOG_KEEP_COSTLIEST);
		stmlog_timelog_activate(worker->log);
	}
	worker->lost = 0;
}

static void *live(void *argument)
{
	struct worker *worker = argument;
	worker->thread = stmlog_thread_attach();
	worker->stack = stmlog_thread_stack(worker->thread);
	worker->log = stmlog_timelog_create(16, STMLOG_KEEP_COSTLIEST);
	worker->lost = 0;
	stmlog_timelog_activate(worker->log);
	tb_push(worker->stack, TB_HERE());
	for (int i = 0; i < TRANSACTIONS_EACH; i++) {
		transact(worker);
		if (one_in(worker, 8))
			begin_anew(worker);
	}
	check_sums(worker);
	tb_pop(worker->stack);
	stmlog_timelog_destroy(&worker->log);
	return NULL;
}

/* ---- the others ---- */

/* One slot's threads, one after the other. */
static void *live_again_and_again(void *argument)
{
	struct worker *worker = argument;
	for (uint32_t lives = stress_times(500); lives > 0; lives--) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, live, worker) == 0)
			pthread_join(thread, NULL);
	}
	return NULL;
}

static void *report_on_and_on(void *unused)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	while (AO_load_acquire(&has_ended) == 0) {
		claim(stmlog_report(fd) == 0);
		sched_yield();
	}
	close(fd);
	return unused;
}

TEST_WITH(no_leaks, threads_that_come_and_go_keep_their_sums_and_leave_nothing)
{
	static const struct stmlog_setup settings = {.runtime = "stress", .report = "none"};
	pthread_t threads[SLOTS_MAX], reporter;
	static struct worker workers[SLOTS_MAX];
	size_t mistakes = misuse_total();
	for (unsigned i = 0; i < SLOTS; i++)
		pthread_mutex_init(&seen[i].lock, NULL);
	assert_int_equal(stmlog_open(&settings), 0);
	assert_int_equal(pthread_create(&reporter, NULL, report_on_and_on, NULL), 0);
	for (unsigned i = 0; i < SLOTS; i++) {
		workers[i] = (struct worker){.slot = i, .random = {i}};
		assert_int_equal(pthread_create(&threads[i], NULL, live_again_and_again, &workers[i]), 0);
	}
	for (unsigned i = 0; i < SLOTS; i++)
		pthread_join(threads[i], NULL);
	AO_store_release(&has_ended, 1);
	pthread_join(reporter, NULL);
	assert_int_equal(AO_load(&defects), 0);
	assert_int_equal(misuse_total(), mistakes);
	stmlog_close();
}
