/* SPDX-License-Identifier: MIT
 * A program in which the culprit of each abort is known: every write has a number of its own, the lock of an
 * object holds the number of the write that took it, and the tracebacks of both sides spell their numbers out.
 * So each single abort can be checked, and is. */
#include "fixture.h"

#include <pthread.h>
#include <sched.h>

#include <atomic_ops.h>

#include <stmlog/runtime.h>

#include "mem.h"
#include "random.h"
#include "stress.h"
#include "session_fixture.h"

#define THREADS 4
#define OBJECTS 2
#define DEPTH 6
#define ABORTS (RUNNING_ON_VALGRIND ? 10000u : 100000u) /* contended ones, in each test */

/* A write: who, in which attempt (each attempt writes at most one object). */
static AO_t write_number(uint32_t who, uint64_t attempt)
{
	return (AO_t)attempt << 8 | who;
}

struct object {
	volatile AO_t lock; /* 0, or the number of the write that holds it */
	char apart[120];
};

/* What may be told to abort: the number of its attempt's write while it can be, 0 otherwise. */
struct worker {
	volatile AO_t status;
	volatile AO_t killer; /* 0, or the write number of who has made the attempt abort */
	struct stmlog_thread *volatile thread;
	uint32_t who;
	struct stmlog_timelog *log;
	struct tb_stack *stack;
	struct random random;
	uint64_t checked, unknown, wrong;
	char apart[64];
};

static struct object objects[OBJECTS];
static struct worker workers[THREADS];
static volatile AO_t aborts_left;

/* ---- tracebacks that spell a number out ---- */

static void enter(struct worker *worker, AO_t number)
{
	for (uintptr_t i = DEPTH; i > 0; i--)
		tb_push(worker->stack, tb_site_make(10 + i, number));
}

static void leave(struct worker *worker)
{
	for (int i = 0; i < DEPTH; i++)
		tb_pop(worker->stack);
}

static bool spells(const struct tb_frame *traceback, AO_t number)
{
	uintptr_t i = 1;
	for (; tb_is_frame(traceback); traceback = tb_down(traceback), i++)
		if (tb_frame_site(traceback).code != 10 + i || tb_frame_site(traceback).position != number)
			return false;
	return i == DEPTH + 1 && traceback == TB_EMPTY;
}

/* ---- checking ---- */

/* The one abort that the timelog holds, against what is known of it. */
static void check(struct worker *worker, AO_t mine, AO_t theirs, uintptr_t object)
{
	struct stmlog_entry entry;
	struct stmlog_cursor cursor = stmlog_timelog_cursor(worker->log);
	bool is_right = stmlog_cursor_next(&cursor, &entry) == STMLOG_NEXT_ENTRY && entry.count == 1;
	worker->checked++;
	if (is_right && tb_is_unknown(entry.remote)) {
		/* Too late to look, or no room for the letter, without which this side knows nothing either. */
		worker->unknown++;
		is_right = spells(entry.local, mine) || tb_is_unknown(entry.local);
	} else {
		is_right = is_right && spells(entry.local, mine) && spells(entry.remote, theirs) &&
			   entry.grade == STMLOG_GRADE_CERTAIN && entry.objects[0].address == object &&
			   entry.remote_thread == stmlog_thread_id(workers[theirs & 0xff].thread);
	}
	worker->wrong += !is_right;
	stmlog_timelog_clear(worker->log);
	AO_fetch_and_sub1(&aborts_left);
}

static struct stmlog_other owner_of(AO_t number)
{
	return stmlog_other_make(workers[number & 0xff].thread, number >> 8);
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

/* One attempt that writes one object; false when it aborted because somebody else had it. */
static bool attempt_by_giving_up(struct worker *worker, struct object *object)
{
	struct stmlog_thread *thread = worker->thread;
	AO_t mine = write_number(worker->who, stmlog_attempt(thread));
	enter(worker, mine);
	stmlog_wrote(thread, (uintptr_t)object);
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
	stmlog_contention(thread, STMLOG_WRITE_MEETS_WRITE, (uintptr_t)object, owner_of(theirs), "TAKEN");
	stmlog_abort_self(thread);
	leave(worker);
	check(worker, mine, theirs, (uintptr_t)object);
	return false;
}

/* Has the owner of the object abort, if it still can. */
static void make_abort(struct worker *worker, AO_t mine, AO_t theirs)
{
	struct worker *victim = &workers[theirs & 0xff];
	/* The letter first: who sees that it is to abort finds it. */
	stmlog_abort_other(worker->thread);
	if (AO_compare_and_swap_full(&victim->killer, 0, mine) && !AO_compare_and_swap_full(&victim->status, theirs, 0))
		AO_compare_and_swap_full(&victim->killer, mine, 0);
}

/* One attempt that has others make way; false when it was made to abort itself. */
static bool attempt_by_having_others_give_up(struct worker *worker, struct object *object)
{
	struct stmlog_thread *thread = worker->thread;
	AO_t mine = write_number(worker->who, stmlog_attempt(thread)), theirs;
	enter(worker, mine);
	stmlog_wrote(thread, (uintptr_t)object);
	while (!AO_compare_and_swap_full(&object->lock, 0, mine)) {
		theirs = AO_load_acquire(&object->lock);
		if (theirs == 0)
			continue;
		stmlog_contention(thread, STMLOG_WRITE_MEETS_WRITE, (uintptr_t)object, owner_of(theirs), "TAKEN");
		make_abort(worker, mine, theirs);
		sched_yield();
	}
	AO_store_release(&worker->status, mine);
	leave(worker);
	dwell(worker);
	bool has_won = AO_compare_and_swap_full(&worker->status, mine, 0);
	AO_store_release(&object->lock, 0);
	if (has_won) {
		stmlog_commit(thread);
		return true;
	}
	AO_t killer = AO_load_acquire(&worker->killer);
	stmlog_aborted_by(thread, owner_of(killer), STMLOG_WRITE_WRITE, NULL);
	AO_store_release(&worker->killer, 0);
	check(worker, mine, killer, (uintptr_t)object);
	return false;
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

static void *work(void *argument)
{
	struct worker *worker = argument;
	worker->thread = stmlog_thread_attach();
	worker->stack = stmlog_thread_stack(worker->thread);
	worker->log = stmlog_timelog_create(4, STMLOG_KEEP_COSTLIEST);
	stmlog_timelog_activate(worker->log);
	wait_for_all();
	while (!is_enough()) {
		struct object *object = &objects[random_below(&worker->random, OBJECTS)];
		stmlog_start(worker->thread);
		while (!attempt(worker, object))
			stmlog_retry(worker->thread);
	}
	wait_for_all();
	stmlog_timelog_destroy(&worker->log);
	return NULL;
}

static void run(bool (*how)(struct worker *worker, struct object *object))
{
	pthread_t threads[THREADS];
	uint64_t checked = 0, unknown = 0, wrong = 0;
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
		unknown += workers[i].unknown;
		wrong += workers[i].wrong;
	}
	print_message("%lu contended aborts, %lu wrong, %lu unknown\n", checked, wrong, unknown);
	assert_true(checked >= stress_times(ABORTS));
	assert_int_equal(wrong, 0);
	assert_true(unknown * 100 < checked);
}

TEST_WITH(session_fixture, who_gives_up_shows_the_write_that_stood_in_its_way)
{
	run(attempt_by_giving_up);
}

TEST_WITH(session_fixture, who_is_made_to_abort_shows_its_own_write_and_the_one_that_wanted_its_place)
{
	run(attempt_by_having_others_give_up);
}
