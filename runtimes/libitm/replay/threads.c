/* SPDX-License-Identifier: MIT
 * Runs the threads of the replay. libitm's method depends on the number of threads that it knows. So no thread begins
 * before libitm knows all of them, and none ends before all have stopped. */
#include "threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <x86intrin.h>

/* Two cache lines: processors fetch them in pairs. */
enum { APART = 128 };

struct replayer {
	_Alignas(APART) struct performer performer;
	const struct threads_schedule *schedule;
	size_t number; /* of the thread */
	const struct gap_scale *scale;
	pthread_t thread;
	double seconds;
	uint64_t preempted;
};

/* Words that all threads use; each is apart from the others, and from other words that are written. */
static struct {
	_Alignas(APART) atomic_size_t ready;  /* release; partner: the acquire in start_together() */
	_Alignas(APART) atomic_bool is_go;    /* release in start_together(); partner: the acquire in wait_for_go() */
	_Alignas(APART) atomic_bool is_over;  /* relaxed, as those below: no other data depend on it */
	_Alignas(APART) atomic_size_t window; /* counts up; modulo schedule->windows it is the window */
	_Alignas(APART) atomic_size_t passed; /* counts up whenever a thread has passed a window */
	_Alignas(APART) pthread_barrier_t stopped;
} all;

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool is_over(void)
{
	return atomic_load_explicit(&all.is_over, memory_order_relaxed);
}

/* ---- in a thread ---- */

static void wait_for_go(void)
{
	atomic_fetch_add_explicit(&all.ready, 1, memory_order_release);
	while (!atomic_load_explicit(&all.is_go, memory_order_acquire))
		_mm_pause();
}

static void wait_outside(const struct replayer *replayer, const struct step *begin)
{
	if (begin->wait_ticks != 0)
		gap_sleep(replayer->scale, begin->wait_ticks, &all.is_over);
	else
		(void)gap_spin(begin->spin_iterations, begin->size);
}

/* The thread has made its stream of this window often enough. The last one opens the next window. */
static void pass(const struct threads_schedule *schedule, size_t window)
{
	size_t before = atomic_fetch_add_explicit(&all.passed, 1, memory_order_relaxed);
	if ((before + 1) % schedule->threads == 0)
		atomic_store_explicit(&all.window, window + 1, memory_order_relaxed);
}

/* No thread goes on to a window before all have passed the one before it. */
static void repeat(struct replayer *replayer)
{
	const struct threads_schedule *schedule = replayer->schedule;
	const struct threads_stream *streams = &schedule->streams[replayer->number * schedule->windows];
	for (;;) {
		size_t window = atomic_load_explicit(&all.window, memory_order_relaxed), passes = 0;
		const struct threads_stream *stream = &streams[window % schedule->windows];
		const struct step *begin = stream->steps, *end = begin + stream->count;
		while (window == atomic_load_explicit(&all.window, memory_order_relaxed)) {
			wait_outside(replayer, begin);
			if (is_over())
				return;
			perform_transaction(&replayer->performer, begin);
			begin = replayer->performer.next != end ? replayer->performer.next : stream->steps;
			if (begin == stream->steps && ++passes == schedule->passes)
				pass(schedule, window);
		}
	}
}

/* How often the kernel has taken the processor from the calling thread. */
static uint64_t preemptions(void)
{
	struct rusage usage;
	return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
}

static void *replay(void *argument)
{
	struct replayer *replayer = argument;
	perform_nothing();
	wait_for_go();
	uint64_t preempted = preemptions();
	double began = now();
	repeat(replayer);
	replayer->seconds = now() - began;
	replayer->preempted = preemptions() - preempted;
	pthread_barrier_wait(&all.stopped);
	return NULL;
}

/* ---- in the main thread ---- */

/* A replay may be too short for all windows: so each replay begins with another window. */
static size_t first_window(const struct threads_schedule *schedule)
{
	return (size_t)(__rdtsc() >> 8) % schedule->windows;
}

static bool start(struct replayer *replayers, const struct threads_schedule *schedule, const struct gap_scale *scale)
{
	for (size_t i = 0; i < schedule->threads; i++) {
		replayers[i].schedule = schedule;
		replayers[i].number = i;
		replayers[i].scale = scale;
		replayers[i].performer.is_over = &all.is_over;
		if (pthread_create(&replayers[i].thread, NULL, replay, &replayers[i]) != 0)
			return false;
	}
	return true;
}

static void sleep_for(double seconds)
{
	struct timespec time = {.tv_sec = (time_t)seconds};
	time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
	nanosleep(&time, NULL);
}

static void start_together(size_t count)
{
	while (atomic_load_explicit(&all.ready, memory_order_acquire) < count)
		sleep_for(1e-4);
	atomic_store_explicit(&all.is_go, true, memory_order_release);
}

static struct threads_result join(const struct replayer *replayers, size_t count)
{
	struct threads_result sum = {0};
	for (size_t i = 0; i < count; i++) {
		pthread_join(replayers[i].thread, NULL);
		sum.commits += replayers[i].performer.commits;
		sum.attempts += replayers[i].performer.attempts;
		sum.seconds += replayers[i].seconds / (double)count;
		sum.preempted += replayers[i].preempted;
	}
	return sum;
}

bool threads_run(const struct threads_schedule *schedule, const struct gap_scale *scale, double seconds,
	struct threads_result *result)
{
	size_t count = schedule->threads;
	struct replayer *replayers = aligned_alloc(APART, count * sizeof *replayers);
	if (replayers == NULL || pthread_barrier_init(&all.stopped, NULL, (unsigned)count) != 0)
		return false;
	for (size_t i = 0; i < count; i++)
		replayers[i] = (struct replayer){0};
	atomic_store_explicit(&all.window, first_window(schedule), memory_order_relaxed);
	if (!start(replayers, schedule, scale))
		return false;
	start_together(count);
	sleep_for(seconds);
	atomic_store_explicit(&all.is_over, true, memory_order_relaxed);
	*result = join(replayers, count);
	free(replayers);
	return true;
}
