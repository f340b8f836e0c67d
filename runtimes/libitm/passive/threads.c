/* SPDX-License-Identifier: MIT
 *
 * Hooks of the calls that start a thread. itm_passive_enter() is called before the thread's start routine, and
 * itm_passive_leave() when that returns, calls pthread_exit() or is cancelled. This is before any destructor of
 * thread-specific data, of which libitm's is one.
 */
#include "passive.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <threads.h>

#include <stmlog/compiler.h>

#include "pages.h"
#include "requires.h"

/* The program's start routine and its argument, on the way to the new thread. They come from a pool, since the thread
 * may outlive the call that starts it. Invariant: it is in the pool  <=>  it is not on the way to a thread. */
struct start {
	struct start *next;
	void *(*posix)(void *);
	int (*c11)(void *);
	void *arg;
};

#define POOL_BYTES 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the pool */
static struct start *pool;

typedef int posix_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int c11_create(thrd_t *, int (*)(void *), void *);
static posix_create *real_posix;
static c11_create *real_c11;

STMLOG_API int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *arg);
STMLOG_API int thrd_create(thrd_t *thread, int (*routine)(void *), void *arg);

static void look_up(const char *name, void *place)
{
	void *found = dlsym(RTLD_NEXT, name);
	memcpy(place, &found, sizeof found);
}

void itm_threads_prepare(void)
{
	look_up("pthread_create", &real_posix);
	look_up("thrd_create", &real_c11);
}

void itm_threads_before_fork(void)
{
	pthread_mutex_lock(&lock);
}

void itm_threads_after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

/* ---- the pool ---- */

/* Requires the lock. The memory is never freed: it is a page for every 128 threads that start at the same time. */
static void grow(void)
{
	REQUIRES(pthread_mutex_trylock(&lock) == EBUSY);
	struct start *more = native_pages(POOL_BYTES);
	if (more == NULL)
		return;
	for (size_t i = 0; i < POOL_BYTES / sizeof *more; i++) {
		more[i].next = pool;
		pool = &more[i];
	}
}

/* NULL: there is no memory. */
static struct start *alloc_start(struct start wanted)
{
	pthread_mutex_lock(&lock);
	if (pool == NULL)
		grow();
	struct start *start = pool;
	if (start != NULL) {
		pool = start->next;
		*start = wanted;
	}
	pthread_mutex_unlock(&lock);
	return start;
}

/* Returns what *start held; its room goes back to the pool. */
static struct start free_start(struct start *start)
{
	pthread_mutex_lock(&lock);
	struct start copied = *start;
	start->next = pool;
	pool = start;
	pthread_mutex_unlock(&lock);
	return copied;
}

/* ---- in the new thread ---- */

static void leave(void *unused)
{
	(void)unused;
	itm_passive_leave();
}

static void *run_posix(void *arg)
{
	struct start start = free_start(arg);
	void *result;
	itm_passive_enter();
	pthread_cleanup_push(leave, NULL);
	result = start.posix(start.arg);
	pthread_cleanup_pop(1);
	return result;
}

static int run_c11(void *arg)
{
	struct start start = free_start(arg);
	int result;
	itm_passive_enter();
	pthread_cleanup_push(leave, NULL);
	result = start.c11(start.arg);
	pthread_cleanup_pop(1);
	return result;
}

/* ---- in the thread that starts it ---- */

/* The argument for run_posix() or run_c11(); NULL: the thread is to start as the program wants it. */
static struct start *wrap(struct start wanted)
{
	if (itm_passive_is_inside())
		return NULL;
	struct start *start = alloc_start(wanted);
	if (start == NULL)
		itm_passive_miss();
	return start;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *arg)
{
	if (real_posix == NULL) /* called before the library's constructor */
		itm_threads_prepare();
	struct start *start = wrap((struct start){.posix = routine, .arg = arg});
	if (start == NULL)
		return real_posix(thread, attributes, routine, arg);
	int error = real_posix(thread, attributes, run_posix, start);
	if (error != 0)
		free_start(start);
	return error;
}

int thrd_create(thrd_t *thread, int (*routine)(void *), void *arg)
{
	if (real_c11 == NULL)
		itm_threads_prepare();
	struct start *start = wrap((struct start){.c11 = routine, .arg = arg});
	if (start == NULL)
		return real_c11(thread, routine, arg);
	int error = real_c11(thread, run_c11, start);
	if (error != thrd_success)
		free_start(start);
	return error;
}
