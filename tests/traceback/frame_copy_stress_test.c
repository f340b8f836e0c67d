/* SPDX-License-Identifier: MIT
 *
 * Copies taken of frames while their owner recycles them (NOTES.txt, claims T1 and T2). One owner recycles as fast as
 * it can, until each of the readers has copied often enough. First the readers copy without any check: their copies
 * mean nothing, but each word of a copy was stored as a whole, and the walk ends. Then they compare the number of the
 * attempt before and after the copy: a copy between two equal numbers is right.
 */
#include <stmlog/traceback.h>

#include <pthread.h>
#include <sched.h>

#include <atomic_ops.h>

#include "fixture.h"
#include "random.h"
#include "stress.h"

#define READERS 2
#define ROUNDS 20000u
#define COPIES 5000u /* that each reader makes at least */
#define REFUSED 20u  /* how often each reader at least has to give up, because no attempt vouches for the traceback */

struct shared {
	struct tb_stack *stack; /* the owner's */
	volatile AO_t attempt;  /* vouches for `traceback`: it left the traceback, and holds it; 0: none does */
	volatile AO_t traceback;
	volatile AO_t is_over;
	volatile AO_t copied[READERS], refused[READERS];
	AO_t refused_min;
	bool (*read)(const struct shared *shared);
};

struct reader {
	struct shared *shared;
	volatile AO_t *copied, *refused;
};

/* Half of a mark and half of another one differ. A mark has the uppermost bit, which no address of a node has. */
static uintptr_t mark(uint32_t number)
{
	uintptr_t half = number | UINT32_C(0x80000000);
	return half << 32 | half;
}

static bool is_mark(uintptr_t word)
{
	return word >> 32 == (word & UINT32_MAX) && (word & UINT32_C(0x80000000)) != 0;
}

/* A word of a free node is the address of another node, NULL or a small number. */
static bool is_free_nodes(uintptr_t word)
{
	return word >> 48 == 0;
}

/* ---- the threads ---- */

static void count(volatile AO_t *counter)
{
	AO_store(counter, AO_load(counter) + 1);
}

static void *reader(void *arg)
{
	const struct reader *self = arg;
	while (AO_load_acquire(&self->shared->is_over) == 0)
		count(self->shared->read(self->shared) ? self->copied : self->refused);
	return NULL;
}

static bool all_have_copied(const struct shared *shared)
{
	for (int i = 0; i < READERS; i++)
		if (AO_load(&shared->copied[i]) < stress_times(COPIES) ||
			AO_load(&shared->refused[i]) < shared->refused_min)
			return false;
	return true;
}

/* Runs `own` with rising numbers, on the calling thread, while readers read. */
static void run(struct shared *shared, void (*own)(struct shared *shared, uint32_t number))
{
	pthread_t threads[READERS];
	struct reader readers[READERS];
	for (int i = 0; i < READERS; i++) {
		readers[i] = (struct reader){shared, &shared->copied[i], &shared->refused[i]};
		assert_int_equal(pthread_create(&threads[i], NULL, reader, &readers[i]), 0);
	}
	for (uint32_t number = 1; number <= stress_times(ROUNDS) || !all_have_copied(shared); number++) {
		own(shared, number);
		if (number % 64 == 0)
			sched_yield();
	}
	AO_store_release(&shared->is_over, 1);
	for (int i = 0; i < READERS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
}

/* ---- without care ---- */

/* Pushes, pops, updates and captures, more of each than the free list holds, so that frames pass through the depot; and
 * shows the readers the innermost frame. Captured frames are released a few rounds later. */
static void recycle(struct shared *shared, uint32_t number)
{
	static struct random random = {5};
	static struct tb_frame *kept[8];
	struct tb_stack *stack = shared->stack;
	uint32_t depth = random_below(&random, 80);
	struct tb_frame **place = &kept[number % 8];
	for (uint32_t i = 0; i < depth; i++)
		tb_push(stack, tb_site_make(mark(number), mark(i)));
	AO_store_release(&shared->traceback, (AO_t)tb_current(stack));
	if (depth > 0)
		tb_update(stack, tb_site_make(mark(number), mark(number)));
	if (*place != NULL)
		tb_unref(stack, *place);
	*place = AO_load(&shared->is_over) == 0 ? tb_capture(stack) : NULL;
	for (uint32_t i = 0; i < depth; i++)
		tb_pop(stack);
}

static bool read_anything(const struct shared *shared)
{
	struct tb_copy copy;
	tb_copy_take(&copy, (const struct tb_frame *)AO_load_acquire(&shared->traceback));
	assert_in_range(copy.len, 0, TB_COPY_FRAMES);
	for (uint32_t i = 0; i < copy.len; i++) {
		assert_true(is_mark(copy.sites[i].code) || is_free_nodes(copy.sites[i].code));
		assert_true(is_mark(copy.sites[i].position) || is_free_nodes(copy.sites[i].position));
	}
	return true;
}

TEST_WITH(no_leaks, a_copy_of_recycled_frames_ends_and_has_whole_words)
{
	struct shared shared = {.traceback = (AO_t)TB_EMPTY, .read = read_anything};
	shared.stack = tb_stack_create(16);
	run(&shared, recycle);
	for (uint32_t number = 0; number < 8; number++)
		recycle(&shared, number); /* it is over: keeps nothing, and so releases what was kept */
	tb_stack_destroy(&shared.stack);
}

/* ---- vouched for ---- */

static uint32_t depth_of(uint32_t attempt)
{
	return attempt % (TB_COPY_FRAMES + 3);
}

/* As an attempt that leaves one traceback does: voids what the last one left, releases it, and leaves its own. */
static void leave(struct shared *shared, uint32_t attempt)
{
	struct tb_stack *stack = shared->stack;
	AO_store(&shared->attempt, 0);
	AO_nop_write(); /* T3; partner: the read barrier in read_vouched() */
	tb_unref(stack, (struct tb_frame *)AO_load(&shared->traceback));
	for (uint32_t i = 0; i < depth_of(attempt); i++)
		tb_push(stack, tb_site_make(mark(attempt), mark(i)));
	AO_store(&shared->traceback, (AO_t)tb_capture(stack));
	AO_store_release(&shared->attempt, attempt);
	for (uint32_t i = 0; i < depth_of(attempt); i++)
		tb_pop(stack);
}

static void assert_is_of(const struct tb_copy *copy, uint32_t attempt)
{
	uint32_t depth = depth_of(attempt);
	assert_int_equal(copy->len, depth < TB_COPY_FRAMES ? depth : TB_COPY_FRAMES);
	assert_true(copy->is_whole == (depth <= TB_COPY_FRAMES));
	for (uint32_t i = 0; i < copy->len; i++) {
		assert_true(copy->sites[i].code == mark(attempt));
		assert_true(copy->sites[i].position == mark(depth - 1 - i));
	}
}

static bool read_vouched(const struct shared *shared)
{
	struct tb_copy copy;
	AO_t attempt = AO_load_acquire(&shared->attempt);
	if (attempt == 0)
		return false;
	tb_copy_take(&copy, (const struct tb_frame *)AO_load(&shared->traceback));
	AO_nop_read(); /* T3; partner: the write barrier in leave() */
	if (AO_load(&shared->attempt) != attempt)
		return false;
	assert_is_of(&copy, (uint32_t)attempt);
	return true;
}

TEST_WITH(no_leaks, a_copy_that_is_vouched_for_is_right)
{
	struct shared shared = {.traceback = (AO_t)TB_EMPTY, .read = read_vouched, .refused_min = REFUSED};
	shared.stack = tb_stack_create(16);
	run(&shared, leave);
	tb_unref(shared.stack, (struct tb_frame *)shared.traceback);
	tb_stack_destroy(&shared.stack);
}
