/* SPDX-License-Identifier: MIT
 * Calls all recording hooks many times, with two threads that take turns, and prints what they asked of the system once
 * they were warm (watch.h).
 * usage: warm_hooks timeline|none old|new [syscall|allocation|lock]
 *   timeline   a timeline runs
 *   new        each round has a site of its own
 *   syscall... the first round that is watched has such a call of the program's own: it must be found */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stmlog/agent.h>
#include <stmlog/read.h>
#include <stmlog/timeline.h>

#include "losses.h"
#include "watch.h"

enum { WARM = 5000, ROUNDS = 10000, WRITES = 20, OBJECT = 64, CODE = 99 };

static struct stmlog_thread *first, *second;
static uint64_t of_first, of_second, of_inevitable; /* origins of the newest writes, and of the second's last commit */
static _Atomic int turn;                            /* 0: of the first thread, 1: of the second */
static bool is_new;
static uint64_t round_number;

static struct tb_site site_of(uint64_t number)
{
	return tb_site_make(CODE, 1 + (is_new ? round_number * 100 + number : number));
}

/* A loss with frames of the thread's own. */
static struct stmlog_loss loss_of(struct stmlog_thread *thread, enum stmlog_reason reason)
{
	struct stmlog_loss loss = stmlog_loss_make(reason, STMLOG_WRITE_WRITE, "WORD");
	loss.local = tb_current(stmlog_thread_stack(thread));
	loss.object = OBJECT;
	return loss;
}

/* Returns the origin of the last write. */
static uint64_t write_at_many_places(struct stmlog_thread *thread)
{
	uint64_t origin = 0;
	for (uint64_t i = 0; i < WRITES; i++)
		origin = stmlog_origin(thread, site_of(10 + i));
	return origin;
}

/* ---- the second thread: writes, and is aborted by the first one ---- */

static void begin_second(void)
{
	stmlog_push(second, site_of(1));
	stmlog_start(second);
	of_second = write_at_many_places(second);
}

static void end_second(void)
{
	const struct stmlog_loss killed = loss_over_write(STMLOG_ABORTED_BY_OTHER, OBJECT, of_first, "KILLED");
	struct stmlog_loss pause = loss_of(second, STMLOG_PAUSE);
	stmlog_abort(second, &killed);
	stmlog_retry(second);
	of_inevitable = stmlog_became_inevitable(second, TB_NO_SITE);
	stmlog_wait_begin(second, &pause);
	stmlog_descheduled(second, 10, 1);
	stmlog_wait_end(second);
	stmlog_waited(second, &pause, 1);
	stmlog_commit(second);
	stmlog_pop(second);
}

/* ---- the first one: all other hooks ---- */

static void conflict(void)
{
	struct stmlog_loss loss = loss_over_write(STMLOG_SELF_ABORT, OBJECT, of_second, "CONFLICT");
	stmlog_start(first);
	of_first = write_at_many_places(first);
	stmlog_abort_other(first, &loss);
	pause_over_write(first, OBJECT, of_second, "CONFLICT");
	stmlog_wait_end(first);
	stmlog_abort(first, &loss);
	stmlog_retry(first);
	loss.own = stmlog_origin_at(first, tb_current(stmlog_thread_stack(first)));
	loss.overlap = STMLOG_OVERLAP_ALIAS;
	loss.other_object = 2 * OBJECT;
	stmlog_abort(first, &loss);
	stmlog_retry(first);
	loss.own = of_first;
	loss.grade = STMLOG_GRADE_CANDIDATE;
	stmlog_abort(first, &loss);
	stmlog_retry(first);
	stmlog_abort(first, NULL);
	stmlog_retry(first);
	abort_asked(first, "CANCEL");
	wait_blocked(first);
	stmlog_wait_end(first);
	stmlog_retry(first);
	stmlog_commit(first);
}

static void wait(void)
{
	struct stmlog_loss loss = loss_of(first, STMLOG_WAIT);
	loss.cause.contention = STMLOG_INEVITABLE;
	wait_for_segment(first);
	stmlog_wait_end(first);
	wait_for_inevitable(first, of_inevitable, "WAIT");
	stmlog_wait_end(first);
	stmlog_wait_begin(first, &loss);
	stmlog_wait_end(first);
	stmlog_wait_begin(first, NULL);
	stmlog_wait_end(first);
}

static void lose(void)
{
	struct stmlog_loss loss = loss_of(first, STMLOG_SELF_ABORT);
	stmlog_start_at(first, stmlog_now_ns(), site_of(3), TB_UNKNOWN);
	stmlog_failed(first);
	stmlog_abort(first, &loss);
	stmlog_retry_at(first, TB_UNKNOWN);
	loss.at_ns = stmlog_now_ns();
	stmlog_abort(first, &loss);
	stmlog_retry(first);
	stmlog_commit_at(first, stmlog_now_ns());
	stmlog_count_reads(first, 1);
}

static void count_others(void)
{
	const struct stmlog_timed_transaction timed = {.site = site_of(4),
		.weight = 2,
		.has_committed = true,
		.failed = 1,
		.committed_ns = 1,
		.aborted_ns = 1};
	stmlog_unmeasured(first, 1, 1);
	stmlog_set_weight(first, 2);
	stmlog_timed(first, &timed);
	stmlog_set_weight(first, 1);
	stmlog_count_unavailable_traceback(first);
}

static void trace(void)
{
	stmlog_region_begin(first, "region", 1);
	stmlog_task_create(first, round_number);
	stmlog_task_start(first, round_number);
	stmlog_task_end(first, round_number);
	stmlog_counter(first, "counter", round_number);
	stmlog_mark(first, "mark", round_number);
	stmlog_region_end(first, 1);
}

static void do_first(void)
{
	stmlog_push(first, site_of(2));
	conflict();
	wait();
	lose();
	count_others();
	trace();
	stmlog_pop(first);
}

/* ---- turns ---- */

static void hand_over(int to)
{
	turn = to;
	while (turn == to)
		watch_yield();
}

static void *be_second(void *arg)
{
	second = stmlog_thread_open(NULL);
	while (turn != 1)
		watch_yield();
	for (;;) {
		begin_second();
		hand_over(0);
		end_second();
		hand_over(0);
	}
	return arg;
}

static void run(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++, round_number++) {
		hand_over(1);
		do_first();
		hand_over(1);
	}
}

/* What must be found, if this test can fail at all. */
static void plant(const char *what)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	void *volatile memory;
	if (strcmp(what, "syscall") == 0) {
		getppid();
	} else if (strcmp(what, "allocation") == 0) {
		memory = malloc(1);
		free(memory);
	} else if (strcmp(what, "lock") == 0) {
		pthread_mutex_lock(&mutex);
	}
}

/* All hooks did what they are for, in all rounds: each was in its order. */
static bool has_happened(void)
{
	struct stmlog_account one, other;
	uint64_t rounds = WARM + ROUNDS;
	stmlog_account_read(first, &one);
	stmlog_account_read(second, &other);
	return one.commits == 2 * rounds && one.pauses == rounds && one.waits_none == rounds &&
	       one.waits_inevitable == 2 * rounds && one.others >= rounds && one.blocked == rounds &&
	       one.aborts[STMLOG_WRITE_WRITE] == 5 * rounds && one.aborts[STMLOG_NONE] == 2 * rounds &&
	       other.commits == rounds && other.aborts[STMLOG_WRITE_WRITE] == rounds && other.pauses == 2 * rounds &&
	       other.descheduled >= rounds;
}

int main(int argc, char **argv)
{
	const struct stmlog_setup setup = {.runtime = "warm", .report = "none"};
	pthread_t thread;
	if (argc < 3 || stmlog_open(&setup) != 0)
		return 2;
	is_new = strcmp(argv[2], "new") == 0;
	first = stmlog_thread_open(NULL);
	if (pthread_create(&thread, NULL, be_second, NULL) != 0)
		return 1;
	if (strcmp(argv[1], "timeline") == 0)
		stmlog_timeline_start();
	run(WARM);
	watch_begin();
	plant(argc > 3 ? argv[3] : "");
	run(ROUNDS);
	if (!has_happened())
		return 1;
	watch_end();
}
