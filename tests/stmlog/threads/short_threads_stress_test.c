/* SPDX-License-Identifier: MIT
 * A hundred thousand threads, each of which lives for one transaction: what they leave behind does not grow.
 * Some end while others have an origin of theirs. */
#include "fixture.h"

#include <pthread.h>

#include "losses.h"
#include "mem.h"
#include "stress.h"

#define THREADS 100000
#define AT_ONCE 4
#define OBJECT ((uintptr_t)64)
#define KEYS_MAX 8 /* frames of entries that the warm-up may not have seen: the other one known, or not */

/* The origin of the write before; its thread may have ended. */
static uint64_t last;
static pthread_mutex_t last_lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t exchange(uint64_t origin)
{
	pthread_mutex_lock(&last_lock);
	uint64_t before = last;
	last = origin;
	pthread_mutex_unlock(&last_lock);
	return before;
}

/* When not 0, so many threads wait for one another, attached. */
static int all_at_once;
static pthread_barrier_t barrier;

/* Meets the write of the thread before: says that it makes that thread abort, and aborts itself. */
static void *live(void *unused)
{
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	stmlog_push(thread, TB_HERE());
	stmlog_start(thread);
	uint64_t other = exchange(stmlog_origin(thread, TB_NO_SITE));
	const struct stmlog_loss loss = loss_over_write(STMLOG_SELF_ABORT, OBJECT, other, NULL);
	stmlog_abort_other(thread, &loss);
	stmlog_abort(thread, &loss);
	if (all_at_once != 0)
		pthread_barrier_wait(&barrier);
	return unused; /* with a frame on its stack, and in its cache of origins */
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
