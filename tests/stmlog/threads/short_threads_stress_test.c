/* SPDX-License-Identifier: MIT
 * A hundred thousand threads, each of which lives for one transaction: what they leave behind does not grow.
 * Some end with messages that they never read, some while others hold their tracebacks. */
#include "fixture.h"

#include <pthread.h>

#include <atomic_ops.h>

#include <stmlog/runtime.h>

#include "mem.h"
#include "stress.h"

#define THREADS 100000
#define AT_ONCE 4
#define OBJECT ((uintptr_t)64)
#define KEYS_MAX 8 /* frames of entries that the warm-up may not have seen: the other one known, or not */

/* The attempt that was published last; its thread may have ended. Thread and number belong together, under the lock: a
 * number of another thread is misuse, because that attempt may not have begun. */
static struct stmlog_other last;
static pthread_mutex_t last_lock = PTHREAD_MUTEX_INITIALIZER;

static struct stmlog_other exchange(struct stmlog_thread *thread)
{
	pthread_mutex_lock(&last_lock);
	struct stmlog_other other = last;
	last = stmlog_other_make(thread, stmlog_attempt(thread));
	pthread_mutex_unlock(&last_lock);
	return other;
}

/* When not 0, so many threads wait for one another, attached. */
static int all_at_once;
static pthread_barrier_t barrier;

/* Meets the thread before: has it abort (the thread before reads this message if it is still there), and gives up
 * itself. */
static void *live(void *unused)
{
	struct stmlog_thread *thread = stmlog_thread_attach();
	struct tb_stack *stack = stmlog_thread_stack(thread);
	tb_push(stack, TB_HERE());
	stmlog_start(thread);
	stmlog_wrote(thread, OBJECT);
	struct stmlog_other other = exchange(thread);
	stmlog_contention(thread, STMLOG_WRITE_MEETS_WRITE, OBJECT, other, NULL);
	stmlog_abort_other(thread);
	stmlog_abort_self(thread);
	if (all_at_once != 0)
		pthread_barrier_wait(&barrier);
	return unused; /* with a frame on its stack, a trail, and maybe mail */
}

static void live_one_after_the_other(uint32_t threads)
{
	pthread_t thread[AT_ONCE];
	for (uint32_t i = 0; i < threads; i += AT_ONCE) {
		for (int j = 0; j < AT_ONCE; j++)
			assert_int_equal(pthread_create(&thread[j], NULL, live, NULL), 0);
		for (int j = 0; j < AT_ONCE; j++)
			pthread_join(thread[j], NULL);
	}
}

TEST_WITH(no_leaks, many_short_lives_leave_memory_flat_and_no_frame)
{
	static const struct stmlog_setup setup = {.runtime = "short", .report = "none"};
	assert_int_equal(stmlog_open(&setup), 0);
	pthread_barrier_init(&barrier, NULL, AT_ONCE);
	/* As many records as there will ever be, each with the most that it holds. */
	all_at_once = AT_ONCE;
	live_one_after_the_other(AT_ONCE * 8);
	all_at_once = 0;
	size_t bytes = mem_live_bytes(), frames = tb_live_frames();
	/* Under valgrind nothing costs as much as a thread. */
	live_one_after_the_other(RUNNING_ON_VALGRIND ? AT_ONCE * (is_below_drd() ? 15 : 50) : stress_times(THREADS));
	assert_int_equal(mem_live_bytes(), bytes);
	assert_true(tb_live_frames() <= frames + KEYS_MAX);
	stmlog_close();
	pthread_barrier_destroy(&barrier);
}
