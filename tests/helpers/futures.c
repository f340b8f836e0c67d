/* SPDX-License-Identifier: MIT
 * A binary tree of futures. A worker that waits for a future works on others meanwhile, so its waits lie within each
 * other. Each leaf needs memory, which only the main thread may allocate: the leaf is blocked until the main thread has
 * done so. Every eighth leaf does not wait, and is handled while it is suspended.
 *
 *     futures DEPTH WORKERS
 *
 * Prints how many futures there were. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include <stmlog/timeline.h>

enum { FUTURES_MAX = 1 << 16, WORKERS_MAX = 8, PATIENT = 8 };

struct future {
	unsigned depth;    /* of the tree below it; 0: a leaf */
	size_t left;       /* children; 0: none, since the root is 0 */
	int has_ended;     /* under the lock */
	int is_asking;     /* a leaf needs memory */
	int has_memory;    /* and got it */
	int was_suspended; /* it is in the stack once more, to be resumed */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct future futures[FUTURES_MAX];
static size_t made = 1, stack[2 * FUTURES_MAX], ready, asking[FUTURES_MAX], asked, served;

static int load(const int *flag)
{
	pthread_mutex_lock(&lock);
	int value = *flag;
	pthread_mutex_unlock(&lock);
	return value;
}

static void store(int *flag)
{
	pthread_mutex_lock(&lock);
	*flag = 1;
	pthread_mutex_unlock(&lock);
}

static void push(size_t future)
{
	pthread_mutex_lock(&lock);
	stack[ready++] = future;
	pthread_mutex_unlock(&lock);
}

/* SIZE_MAX: there is none. */
static size_t pop(void)
{
	pthread_mutex_lock(&lock);
	size_t future = ready > 0 ? stack[--ready] : SIZE_MAX;
	pthread_mutex_unlock(&lock);
	return future;
}

static size_t make_children(struct stmlog_thread *thread, unsigned depth)
{
	pthread_mutex_lock(&lock);
	size_t left = made;
	made += 2;
	pthread_mutex_unlock(&lock);
	for (size_t i = 0; i < 2; i++) {
		futures[left + i].depth = depth;
		stmlog_task_create(thread, left + i);
		push(left + i);
	}
	return left;
}

static void run(struct stmlog_thread *thread, size_t number);

static void touch(struct stmlog_thread *thread, size_t number)
{
	stmlog_touch_pause(thread, number);
	while (!load(&futures[number].has_ended)) {
		size_t other = pop();
		if (other != SIZE_MAX)
			run(thread, other);
		else
			sched_yield();
	}
	stmlog_touch_resume(thread, number);
}

static void ask(size_t number)
{
	pthread_mutex_lock(&lock);
	futures[number].is_asking = 1;
	asking[asked++] = number;
	pthread_mutex_unlock(&lock);
}

static void block(struct stmlog_thread *thread, size_t number)
{
	struct stmlog_task_info info = {.word = "allocate memory", .value = 4096};
	stmlog_task(thread, STMLOG_EVENT_BLOCK_BEGIN, number, &info);
}

static void unblock(struct stmlog_thread *thread, size_t number, enum stmlog_task_outcome outcome)
{
	struct stmlog_task_info info = {.detail = outcome};
	stmlog_task(thread, STMLOG_EVENT_BLOCK_END, number, &info);
}

/* Returns whether the leaf has its memory. Otherwise it is suspended. */
static int get_memory(struct stmlog_thread *thread, size_t number)
{
	block(thread, number);
	if (number % PATIENT == 0) {
		unblock(thread, number, STMLOG_OUTCOME_ABANDONED);
		stmlog_task(thread, STMLOG_EVENT_TASK_SUSPEND, number, &(struct stmlog_task_info){.word = "no memory"});
		ask(number);
		return 0;
	}
	ask(number);
	while (!load(&futures[number].has_memory))
		sched_yield();
	unblock(thread, number, STMLOG_OUTCOME_VALUE);
	return 1;
}

static void end(struct stmlog_thread *thread, size_t number)
{
	stmlog_task_end(thread, number);
	store(&futures[number].has_ended);
}

static void run(struct stmlog_thread *thread, size_t number)
{
	struct future *future = &futures[number];
	if (future->was_suspended) {
		stmlog_task_resume(thread, number);
	} else {
		stmlog_task_start(thread, number);
		if (future->depth == 0 && !get_memory(thread, number))
			return;
	}
	if (future->depth > 0) {
		future->left = make_children(thread, future->depth - 1);
		touch(thread, future->left);
		touch(thread, future->left + 1);
	}
	end(thread, number);
}

static void *work(void *unused)
{
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	while (!load(&futures[0].has_ended)) {
		size_t number = pop();
		if (number != SIZE_MAX)
			run(thread, number);
		else
			sched_yield();
	}
	return unused;
}

static void serve_one(struct stmlog_thread *thread)
{
	pthread_mutex_lock(&lock);
	size_t number = served < asked ? asking[served++] : SIZE_MAX;
	pthread_mutex_unlock(&lock);
	if (number == SIZE_MAX) {
		sched_yield();
		return;
	}
	stmlog_task(thread, STMLOG_EVENT_HANDLE_BEGIN, number, &(struct stmlog_task_info){.word = "allocate memory"});
	stmlog_task(thread, STMLOG_EVENT_HANDLE_END, number, NULL);
	store(&futures[number].has_memory);
	if (number % PATIENT == 0) {
		futures[number].was_suspended = 1;
		push(number);
	}
}

int main(int argc, char **argv)
{
	const struct stmlog_setup setup = {.runtime = "futures"};
	unsigned depth = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 6;
	size_t workers = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	pthread_t threads[WORKERS_MAX];
	if (depth > 14 || workers == 0 || workers > WORKERS_MAX || stmlog_open(&setup) != 0)
		return 1;
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	futures[0].depth = depth;
	stmlog_task_create(thread, 0);
	push(0);
	for (size_t i = 0; i < workers; i++)
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			return 1;
	while (!load(&futures[0].has_ended))
		serve_one(thread);
	for (size_t i = 0; i < workers; i++)
		pthread_join(threads[i], NULL);
	printf("%zu futures\n", made);
	return 0;
}
