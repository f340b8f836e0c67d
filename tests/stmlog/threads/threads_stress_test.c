/* SPDX-License-Identifier: MIT
 * Threads that come and go while they meet, pause for and abort one another, make and clear timelogs, and are
 * reported on: each one's sums are its own count of what it lost, and nothing is left over in the end. */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "claims.h"
#include "losses.h"
#include "mem.h"
#include "misuse.h"
#include "random.h"
#include "stress.h"

#define SLOTS_MAX 8
#define SLOTS (is_below_drd() ? 4u : SLOTS_MAX)
#define OBJECTS 6
#define TRANSACTIONS_EACH 20

struct worker {
	struct stmlog_thread *thread;
	struct tb_stack *stack;
	struct stmlog_timelog *log;
	struct random random;
	uint64_t written; /* the origin of the attempt's newest write; 0: none */
	uint64_t lost;    /* aborts, pauses and waits that make an entry, since the timelog was made */
	unsigned slot;
};

/* The origin of a slot's newest write. Its thread may have ended, and the record may belong to another thread by now.
 */
static volatile AO_t seen[SLOTS_MAX];
static volatile AO_t has_ended;

static bool one_in(struct worker *worker, uint32_t n)
{
	return random_below(&worker->random, n) == 0;
}

static uintptr_t some_object(struct worker *worker)
{
	return 64 * (1 + (uintptr_t)random_below(&worker->random, OBJECTS));
}

static uint64_t some_write(struct worker *worker)
{
	return one_in(worker, 4) ? 0 : AO_load_acquire(&seen[random_below(&worker->random, SLOTS)]);
}

/* No transaction makes another one abort because that one is inevitable. */
static enum stmlog_contention_kind some_contention(struct worker *worker, enum stmlog_reason reason)
{
	static const enum stmlog_contention_kind all[] = {
		STMLOG_WRITE_WRITE, STMLOG_WRITE_READ, STMLOG_DATA, STMLOG_NONE, STMLOG_INEVITABLE};
	return all[random_below(&worker->random, reason == STMLOG_ABORTED_BY_OTHER ? 4 : 5)];
}

static struct stmlog_loss some_loss(struct worker *worker, enum stmlog_reason reason, const char *word)
{
	struct stmlog_loss loss = stmlog_loss_of(reason, some_contention(worker, reason), word);
	loss.object = some_object(worker);
	loss.other = some_write(worker);
	if (one_in(worker, 2))
		loss.own = worker->written;
	if (one_in(worker, 4))
		loss.grade = STMLOG_GRADE_CANDIDATE;
	if (one_in(worker, 2)) {
		loss.overlap = STMLOG_OVERLAP_STRIPE;
		loss.other_object = some_object(worker);
	}
	return loss;
}

/* ---- a transaction ---- */

static void be_seen(struct worker *worker, uint64_t origin)
{
	worker->written = origin;
	AO_store_release(&seen[worker->slot], (AO_t)origin);
}

static void write_and_go_deeper(struct worker *worker)
{
	uint32_t depth = random_below(&worker->random, 5);
	for (uint32_t i = 0; i < depth; i++) {
		stmlog_push(worker->thread, tb_site_make(30 + i, worker->slot));
		be_seen(worker, stmlog_origin(worker->thread, one_in(worker, 2) ? TB_HERE() : TB_NO_SITE));
	}
	if (one_in(worker, 8))
		be_seen(worker, stmlog_became_inevitable(worker->thread, TB_NO_SITE));
	for (uint32_t i = 0; i < depth; i++)
		stmlog_pop(worker->thread);
}

static void meet(struct worker *worker)
{
	const struct stmlog_loss loss = some_loss(worker, STMLOG_PAUSE, "MET");
	const struct stmlog_loss of_other = some_loss(worker, STMLOG_ABORTED_BY_OTHER, "MET");
	if (one_in(worker, 2))
		stmlog_abort_other(worker->thread, &of_other);
	if (one_in(worker, 3)) {
		stmlog_wait_begin(worker->thread, &loss);
		worker->lost++;
		sched_yield();
		stmlog_wait_end(worker->thread);
	}
}

/* Returns whether the attempt has aborted. */
static bool may_abort(struct worker *worker)
{
	static const enum stmlog_reason reasons[] = {STMLOG_SELF_ABORT, STMLOG_ABORTED_BY_OTHER, STMLOG_USER_ABORT};
	uint32_t way = random_below(&worker->random, 6);
	if (way > 3)
		return false;
	if (way == 3) {
		stmlog_abort(worker->thread, NULL);
	} else {
		const struct stmlog_loss loss = some_loss(worker, reasons[way], "LOST");
		stmlog_abort(worker->thread, &loss);
	}
	worker->lost++;
	return true;
}

static void transact(struct worker *worker)
{
	if (one_in(worker, 10)) {
		wait_for_inevitable(worker->thread, some_write(worker), NULL);
		worker->lost++;
		stmlog_wait_end(worker->thread);
	}
	stmlog_start(worker->thread);
	for (;;) {
		worker->written = 0;
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
		worker->log = stmlog_timelog_create(random_below(&worker->random, 6));
		stmlog_timelog_activate(worker->log);
	}
	worker->lost = 0;
}

static void *live(void *argument)
{
	struct worker *worker = argument;
	worker->thread = stmlog_thread_open(NULL);
	worker->stack = stmlog_thread_stack(worker->thread);
	worker->log = stmlog_timelog_create(16);
	worker->lost = 0;
	stmlog_timelog_activate(worker->log);
	stmlog_push(worker->thread, TB_HERE());
	for (int i = 0; i < TRANSACTIONS_EACH; i++) {
		transact(worker);
		if (one_in(worker, 8))
			begin_anew(worker);
	}
	check_sums(worker);
	stmlog_pop(worker->thread);
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
