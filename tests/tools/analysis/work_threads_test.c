/* SPDX-License-Identifier: MIT
 * A program that works on tasks with two threads tells the library of them, as timeline.h says; what the tools make of
 * its recording is what it has done, whichever thread has done it. */
#include "loaded.h"

#include <pthread.h>
#include <sched.h>

#include <stmlog/read.h>
#include <stmlog/timeline.h>

#include "temp_dir.h"
#include "verify.h"
#include "work.h"

enum { FIB = 9, TASKS = 109 }; /* calls that fib(9) makes */

struct call {
	uint64_t number;
	unsigned n;
	bool is_done; /* under the pool's lock */
};

static struct {
	pthread_mutex_t lock;
	struct call calls[TASKS];
	size_t made;
	size_t ready[TASKS];
	size_t ready_count;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void call_it(struct call *call);

static struct call *add(struct stmlog_thread *thread, unsigned n)
{
	pthread_mutex_lock(&pool.lock);
	size_t number = pool.made++;
	struct call *call = &pool.calls[number];
	*call = (struct call){.number = number, .n = n};
	stmlog_task_create(thread, number);
	pool.ready[pool.ready_count++] = number;
	pthread_mutex_unlock(&pool.lock);
	return call;
}

static bool is_done(const struct call *call)
{
	pthread_mutex_lock(&pool.lock);
	bool result = call->is_done;
	pthread_mutex_unlock(&pool.lock);
	return result;
}

static void do_any(void)
{
	pthread_mutex_lock(&pool.lock);
	struct call *call = pool.ready_count > 0 ? &pool.calls[pool.ready[--pool.ready_count]] : NULL;
	pthread_mutex_unlock(&pool.lock);
	if (call != NULL)
		call_it(call);
	else
		sched_yield();
}

static void touch(struct stmlog_thread *thread, const struct call *call)
{
	stmlog_touch_pause(thread, call->number);
	stmlog_touch_resume(thread, call->number);
}

static void join(struct stmlog_thread *thread, const struct call *call)
{
	const struct call *first = add(thread, call->n - 1), *second = add(thread, call->n - 2);
	stmlog_task_suspend(thread, call->number);
	while (!is_done(first) || !is_done(second))
		do_any();
	touch(thread, first);
	touch(thread, second);
	stmlog_task_resume(thread, call->number);
}

static void call_it(struct call *call)
{
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	stmlog_task_start(thread, call->number);
	stmlog_region_begin(thread, "fib", 1);
	if (call->n >= 2)
		join(thread, call);
	stmlog_region_end(thread, 1);
	stmlog_task_end(thread, call->number);
	pthread_mutex_lock(&pool.lock);
	call->is_done = true;
	pthread_mutex_unlock(&pool.lock);
}

static void *work_along(void *root)
{
	stmlog_thread_open(NULL);
	while (!is_done(root))
		do_any();
	return NULL;
}

static void run_and_record(const char *path)
{
	pthread_t other;
	assert_int_equal(stmlog_open(&(struct stmlog_setup){.report = "none"}), 0);
	assert_int_equal(stmlog_timeline_prepare(16 * TASKS, STMLOG_TIMELINE_GROW), 0);
	assert_int_equal(stmlog_timeline_start(), 0);
	struct call *root = add(stmlog_thread_open(NULL), FIB);
	assert_int_equal(pthread_create(&other, NULL, work_along, root), 0);
	work_along(root);
	pthread_join(other, NULL);
	stmlog_timeline_stop();
	assert_int_equal(stmlog_record(path), 0);
	stmlog_close();
}

static void tell(const char *text, void *arg)
{
	(void)arg;
	print_message("%s\n", text);
}

/* A join leads to its two children and only through them to what comes behind. */
static void expect_joins(const struct tasks *tasks)
{
	for (size_t i = 0; i < tasks->len; i++) {
		const struct segment *segment = &tasks->segments[tasks->tasks[i].first_segment];
		bool is_join = pool.calls[tasks->tasks[i].number].n >= 2;
		assert_int_equal(tasks->tasks[i].segment_count, is_join ? 2 : 1);
		for (size_t k = 0; is_join && k < segment->child_count; k++)
			assert_int_equal(tasks->tasks[tasks->segments[segment->children[k]].task].parent, i);
		if (is_join)
			assert_int_equal(segment->child_count, 2);
	}
}

TEST_WITH(temp_dir_fixture, a_program_of_two_threads_is_understood)
{
	struct recording recording;
	struct work work;
	const char *path = temp_dir_path("recording");
	run_and_record(path);
	assert_int_equal(pool.made, TASKS);
	assert_int_equal(recording_load(&recording, path), RECORDING_WHOLE);
	assert_int_equal(verify_recording(&recording, tell, NULL), 0);
	assert_true(work_build(&work, &recording));
	assert_int_equal(work.tasks.len, TASKS);
	expect_joins(&work.tasks);
	assert_int_equal(work.regions.len, TASKS);
	assert_int_equal(work.regions.tag_count, 1);
	assert_int_equal(work.regions.tags[0].work, 2);
	assert_true(work.regions.tags[0].inclusive_ns == work.regions.regions[0].time_ns);
	assert_true(work.regions.tags[0].inclusive_ns == work.regions.tags[0].exclusive_ns);
	assert_true(work.regions.tags[0].inclusive_ns <= tasks_time_ns(&work.tasks));
	work_fini(&work);
	recording_fini(&recording);
}
