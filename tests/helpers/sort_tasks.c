/* SPDX-License-Identifier: MIT
 *
 * A merge sort by fork and join, which tells the library of its tasks and regions (timeline.h). It has no transactions.
 * usage: sort_tasks [ELEMENTS [CUTOFF [THREADS]]]. A task with more than CUTOFF elements creates a task for each half,
 * joins them, and merges the halves. Any other task sorts its elements by itself. A thread that waits for a join works
 * on other tasks meanwhile.
 *
 * The work of a region is its number of comparisons, nearly: that of "sort", which is the whole, does not depend on
 * CUTOFF.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/timeline.h>

enum { MAX_THREADS = 64 };

struct job {
	uint64_t task;
	uint32_t *values;
	size_t len;
	bool is_done;
	struct job *below; /* in the pool */
};

/* Jobs that no thread has begun are a stack. The lock protects it, and is_done of each job. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct job *ready;
	uint64_t created;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static uint32_t *all, *scratch;
static size_t cutoff;
static struct job root;

static void create_job(struct stmlog_thread *thread, struct job *job, uint32_t *values, size_t len)
{
	*job = (struct job){.values = values, .len = len};
	pthread_mutex_lock(&pool.lock);
	job->task = pool.created++;
	stmlog_task_create(thread, job->task);
	job->below = pool.ready;
	pool.ready = job;
	pthread_cond_broadcast(&pool.changed);
	pthread_mutex_unlock(&pool.lock);
}

static void work_on(struct stmlog_thread *thread, struct job *job);

/* Works on jobs until this one is done. */
static void work_until_done(struct stmlog_thread *thread, const struct job *awaited)
{
	pthread_mutex_lock(&pool.lock);
	while (!awaited->is_done) {
		struct job *job = pool.ready;
		if (job == NULL) {
			pthread_cond_wait(&pool.changed, &pool.lock);
			continue;
		}
		pool.ready = job->below;
		pthread_mutex_unlock(&pool.lock);
		work_on(thread, job);
		pthread_mutex_lock(&pool.lock);
	}
	pthread_mutex_unlock(&pool.lock);
}

/* Merges two sorted halves. */
static void merge(uint32_t *values, size_t len)
{
	uint32_t *room = &scratch[values - all];
	size_t left = 0, right = len / 2;
	for (size_t i = 0; i < len; i++) {
		bool is_left = right == len || (left < len / 2 && values[left] <= values[right]);
		room[i] = values[is_left ? left++ : right++];
	}
	memcpy(values, room, len * sizeof *values);
}

static void sort_alone(uint32_t *values, size_t len)
{
	if (len < 2)
		return;
	sort_alone(values, len / 2);
	sort_alone(values + len / 2, len - len / 2);
	merge(values, len);
}

/* len * log2(len), rounded up. */
static uint64_t comparisons(size_t len)
{
	uint64_t levels = 0;
	while (len > (size_t)1 << levels)
		levels++;
	return len * levels;
}

static void touch(struct stmlog_thread *thread, const struct job *job)
{
	stmlog_touch_pause(thread, job->task);
	stmlog_touch_resume(thread, job->task);
}

static void sort_halves(struct stmlog_thread *thread, const struct job *job)
{
	struct job left, right;
	create_job(thread, &left, job->values, job->len / 2);
	create_job(thread, &right, job->values + job->len / 2, job->len - job->len / 2);
	stmlog_task_suspend(thread, job->task);
	work_until_done(thread, &left);
	work_until_done(thread, &right);
	touch(thread, &left);
	touch(thread, &right);
	stmlog_task_resume(thread, job->task);
	stmlog_region_begin(thread, "merge", job->len);
	merge(job->values, job->len);
	stmlog_region_end(thread, 0);
}

static void sort(struct stmlog_thread *thread, const struct job *job)
{
	if (job->len > cutoff && job->len > 1) {
		sort_halves(thread, job);
		return;
	}
	stmlog_region_begin(thread, "leaf", comparisons(job->len));
	sort_alone(job->values, job->len);
	stmlog_region_end(thread, 0);
}

static void work_on(struct stmlog_thread *thread, struct job *job)
{
	stmlog_task_start(thread, job->task);
	if (job == &root)
		stmlog_region_begin(thread, "sort", comparisons(job->len));
	sort(thread, job);
	if (job == &root)
		stmlog_region_end(thread, 0);
	stmlog_task_end(thread, job->task);
	pthread_mutex_lock(&pool.lock);
	job->is_done = true;
	pthread_cond_broadcast(&pool.changed);
	pthread_mutex_unlock(&pool.lock);
}

static void *work_along(void *unused)
{
	work_until_done(stmlog_thread_open(NULL), &root);
	return unused;
}

static bool run(size_t threads)
{
	pthread_t others[MAX_THREADS];
	for (size_t i = 0; i < threads; i++)
		if (pthread_create(&others[i], NULL, work_along, NULL) != 0)
			return false;
	for (size_t i = 0; i < threads; i++)
		pthread_join(others[i], NULL);
	return true;
}

static void fill(size_t len)
{
	uint32_t value = 1;
	for (size_t i = 0; i < len; i++) {
		value = value * 1664525 + 1013904223;
		all[i] = value;
	}
}

static bool is_sorted(size_t len)
{
	for (size_t i = 1; i < len; i++)
		if (all[i - 1] > all[i])
			return false;
	return true;
}

/* argv[at] as a number; `usual` without that argument. */
static size_t number(int argc, char **argv, int at, size_t usual)
{
	return at < argc ? strtoul(argv[at], NULL, 10) : usual;
}

int main(int argc, char **argv)
{
	size_t len = number(argc, argv, 1, 100000), threads = number(argc, argv, 3, 2);
	cutoff = number(argc, argv, 2, 200);
	all = malloc(len * sizeof *all);
	scratch = malloc(len * sizeof *scratch);
	if (len == 0 || threads == 0 || threads > MAX_THREADS || all == NULL || scratch == NULL ||
		stmlog_open(&(struct stmlog_setup){.runtime = "sort_tasks"}) != 0) {
		fprintf(stderr, "%s: no elements, not 1 to %d threads, or no memory\n", argv[0], MAX_THREADS);
		return 2;
	}
	fill(len);
	create_job(stmlog_thread_open(NULL), &root, all, len);
	bool is_right = run(threads) && is_sorted(len);
	printf("%s %zu\n", is_right ? "ok" : "wrong", (size_t)pool.created);
	free(all);
	free(scratch);
	return !is_right;
}
