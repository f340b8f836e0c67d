/* SPDX-License-Identifier: MIT
 * A program in which the culprit of each abort is known: the lock of an object holds the origin of the write that took
 * it, each thread counts its attempts, and the tracebacks of both sides spell the thread and its count out. So each
 * single abort can be checked, and is. */
#include <pthread.h>
#include <sched.h>

#include <atomic_ops.h>

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "losses.h"
#include "random.h"
#include "session_fixture.h"
#include "stress.h"

#define THREADS 4
#define OBJECTS 2
#define DEPTH 6
#define NUMBERS 200u /* of a thread's attempts, in turn: the table of origins has room for all tracebacks */
#define ABORTS (RUNNING_ON_VALGRIND ? 5000u : 20000u) /* contended ones, in each test */

struct object {
	volatile AO_t lock; /* 0, or the origin of the write that holds it */
	char apart[120];
};

struct worker {
	volatile AO_t status; /* the origin of the attempt's write while the attempt can be told to abort; else 0 */
	volatile AO_t killer; /* 0, or the origin of the transaction that has made the attempt abort */
	struct stmlog_thread *volatile thread;
	uint32_t who;
	uint64_t attempts; /* that have begun */
	uint64_t before;   /* the library's number of the last attempt before these */
	struct stmlog_timelog *log;
	struct random random;
	uint64_t checked, wrong;
	char apart[64];
};

static struct object objects[OBJECTS];
static struct worker workers[THREADS + 1]; /* the last one stands for threads that do not exist */
static volatile AO_t aborts_left;

/* ---- tracebacks that spell a number out ---- */

static uintptr_t number_of(const struct worker *worker, uint64_t attempt)
{
	return worker->who << 8 | attempt % NUMBERS;
}

/* Begins the write of the attempt under way. Returns its origin. */
static AO_t enter(struct worker *worker)
{
	for (uintptr_t i = DEPTH; i > 0; i--)
		stmlog_push(worker->thread, tb_site_make(10 + i, number_of(worker, worker->attempts)));
	return stmlog_origin(worker->thread, TB_NO_SITE);
}

static void leave(struct worker *worker)
{
	for (int i = 0; i < DEPTH; i++)
		stmlog_pop(worker->thread);
}

static bool spells(const struct tb_frame *traceback, uintptr_t number)
{
	uintptr_t i = 1;
	for (; tb_is_frame(traceback); traceback = tb_down(traceback), i++)
		if (tb_frame_site(traceback).code != 10 + i || tb_frame_site(traceback).position != number)
			return false;
	return i == DEPTH + 1 && traceback == TB_EMPTY;
}

/* ---- checking ---- */

/* The thread that has made the origin. */
static struct worker *worker_of(AO_t origin)
{
	struct stmlog_origin_parts parts;
	int i = 0;
	stmlog_origin_read(origin, &parts);
	while (i < THREADS && parts.thread != stmlog_thread_id(workers[i].thread))
		i++;
	return &workers[i];
}

/* Whether the traceback is that of the write which has made the origin. */
static bool is_of(const struct tb_frame *traceback, AO_t origin)
{
	struct stmlog_origin_parts parts;
	const struct worker *worker = worker_of(origin);
	stmlog_origin_read(origin, &parts);
	return spells(traceback, number_of(worker, parts.attempt - worker->before));
}

/* The one abort that the timelog holds, against what is known of it. */
static void check(struct worker *worker, AO_t mine, AO_t theirs, uintptr_t object)
{
	struct stmlog_entry entry;
	struct stmlog_cursor cursor = stmlog_timelog_cursor(worker->log);
	bool is_right = stmlog_cursor_next(&cursor, &entry) == STMLOG_NEXT_ENTRY && entry.count == 1;
	is_right = is_right && spells(entry.local, number_of(worker, worker->attempts)) && is_of(entry.local, mine) &&
		   is_of(entry.remote, theirs) && entry.remote_thread == stmlog_thread_id(worker_of(theirs)->thread) &&
		   entry.grade == STMLOG_GRADE_CERTAIN && entry.objects[0].address == object;
	worker->checked++;
	worker->wrong += !is_right;
	stmlog_timelog_clear(worker->log);
	AO_fetch_and_sub1(&aborts_left);
}

/* ---- the transaction ---- */

static bool is_enough(void)
{
	return (intptr_t)AO_load(&aborts_left) <= 0;
}

static void dwell(struct worker *worker)
{
	for (uint32_t i = random_below(&worker->random, 400); i > 0; i--)
		__asm__ volatile("");
	if (random_below(&worker->random, 16) == 0)
		sched_yield();
}

/* One attempt that writes one object; false when it aborted because another thread had the object. */
static bool attempt_by_giving_up(struct worker *worker, struct object *object)
{
	struct stmlog_thread *thread = worker->thread;
	AO_t mine = enter(worker);
	if (AO_compare_and_swap_full(&object->lock, 0, mine)) {
		leave(worker); /* where it is now is not where it wrote */
		dwell(worker);
		AO_store_release(&object->lock, 0);
		stmlog_commit(thread);
		return true;
	}
	AO_t theirs = AO_load_acquire(&object->lock);
	if (theirs == 0) { /* the contention has dissolved; try all over */
		leave(worker);
		stmlog_commit(thread);
		return true;
	}
	abort_over_write(thread, (uintptr_t)object, theirs, "LOCKED");
	leave(worker);
	check(worker, mine, theirs, (uintptr_t)object);
	return false;
}

/* Has the owner of the object abort, if it still can. */
static void make_abort(AO_t mine, AO_t theirs)
{
	struct worker *victim = worker_of(theirs);
	if (AO_compare_and_swap_full(&victim->killer, 0, mine) && !AO_compare_and_swap_full(&victim->status, theirs, 0))
		AO_compare_and_swap_full(&victim->killer, mine, 0);
}

/* The attempt was made to abort itself. */
static void obey(struct worker *worker, AO_t mine, struct object *object)
{
	AO_t killer = AO_load_acquire(&worker->killer);
	struct stmlog_loss loss = loss_over_write(STMLOG_ABORTED_BY_OTHER, (uintptr_t)object, killer, NULL);
	loss.own = mine;
	stmlog_abort(worker->thread, &loss);
	AO_store_release(&worker->killer, 0);
	check(worker, mine, killer, (uintptr_t)object);
}

/* One attempt that has others make way; false when it was made to abort itself. */
static bool attempt_by_having_others_give_up(struct worker *worker, struct object *object)
{
	AO_t mine = enter(worker);
	while (!AO_compare_and_swap_full(&object->lock, 0, mine)) {
		AO_t theirs = AO_load_acquire(&object->lock);
		if (theirs == 0)
			continue;
		make_abort(mine, theirs);
		sched_yield();
	}
	AO_store_release(&worker->status, mine);
	leave(worker);
	dwell(worker);
	bool has_won = AO_compare_and_swap_full(&worker->status, mine, 0);
	AO_store_release(&object->lock, 0);
	if (has_won)
		stmlog_commit(worker->thread);
	else
		obey(worker, mine, object);
	return has_won;
}

static bool (*attempt)(struct worker *worker, struct object *object);

static volatile AO_t attached;

/* All attach before any begins, and none leaves before all are done: the numbers of threads stay theirs. */
static void wait_for_all(void)
{
	AO_t round = AO_fetch_and_add1(&attached) / THREADS;
	while (AO_load_acquire(&attached) / THREADS == round)
		sched_yield();
}

/* An attempt that shows the library's number. */
static void begin_to_count(struct worker *worker)
{
	struct stmlog_origin_parts parts;
	stmlog_start(worker->thread);
	stmlog_origin_read(stmlog_origin(worker->thread, TB_NO_SITE), &parts);
	stmlog_commit(worker->thread);
	worker->before = parts.attempt;
	worker->attempts = 0;
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	worker->thread = stmlog_thread_open(NULL);
	begin_to_count(worker);
	worker->log = stmlog_timelog_create(4);
	stmlog_timelog_activate(worker->log);
	wait_for_all();
	while (!is_enough()) {
		struct object *object = &objects[random_below(&worker->random, OBJECTS)];
		stmlog_start(worker->thread);
		worker->attempts++;
		while (!attempt(worker, object)) {
			stmlog_retry(worker->thread);
			worker->attempts++;
		}
	}
	wait_for_all();
	stmlog_timelog_destroy(&worker->log);
	return NULL;
}

static void run(bool (*how)(struct worker *worker, struct object *object))
{
	pthread_t threads[THREADS];
	uint64_t checked = 0, wrong = 0;
	attempt = how;
	AO_store(&aborts_left, stress_times(ABORTS));
	AO_store(&attached, 0);
	for (uint32_t i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){.who = i, .random = {i}};
		assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		checked += workers[i].checked;
		wrong += workers[i].wrong;
	}
	print_message("%lu contended aborts, %lu wrong\n", checked, wrong);
	assert_true(checked >= stress_times(ABORTS));
	assert_int_equal(wrong, 0);
}

TEST_WITH(session_fixture, who_gives_up_shows_the_write_that_stood_in_its_way)
{
	run(attempt_by_giving_up);
}

TEST_WITH(session_fixture, who_is_made_to_abort_shows_its_own_write_and_the_one_that_wanted_its_place)
{
	run(attempt_by_having_others_give_up);
}
