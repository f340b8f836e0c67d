/* SPDX-License-Identifier: MIT
 *
 * A preload library that adds up libitm's restart counters of all threads: a second witness for the profiler's counts,
 * which shares no code with the profiler.
 *
 * libitm keeps a pointer to its descriptor of a thread at %fs:0x50, and the counters by reason in the descriptor: at
 * 0x108 in all builds whose code was read (gcc 10.2, 12.2, 14.2, 16.2), or at COUNTERS_OFFSET (hexadecimal) where a
 * test has moved them. The profiler finds that place in another way. Each thread is read when its start routine
 * returns, before libitm frees the descriptor; main, and threads that still run, are read when the process exits.
 * Transactions in destructors of thread-specific data are not counted; restarts that happen while a thread is read may
 * be counted or not. One line goes to the file descriptor COUNTERS_OUT:
 *
 *   LOCKED_READ=12 LOCKED_WRITE=34 ...
 *
 * If no libitm is loaded there is no line: the library is preloaded to a program's helpers, too.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

enum { REASONS = 10 };

static const char *const reason_names[REASONS] = {"REALLOCATE", "LOCKED_READ", "LOCKED_WRITE", "VALIDATE_READ",
	"VALIDATE_WRITE", "VALIDATE_COMMIT", "SERIAL_IRR", "NOT_READONLY", "CLOSED_NESTING", "INIT_METHOD_GROUP"};

/* Relaxed: each thread adds before it can be joined, and main reads after it has joined them. */
static atomic_ullong sums[REASONS];

static int look_for_libitm(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	return strstr(info->dlpi_name, "/libitm.so.1") != NULL;
}

static bool has_libitm(void)
{
	return dl_iterate_phdr(look_for_libitm, NULL) != 0;
}

static size_t offset_of_counters(void)
{
	const char *text = getenv("COUNTERS_OFFSET");
	return text != NULL ? strtoul(text, NULL, 16) : 0x108;
}

/* libitm's descriptor of the calling thread; NULL: there is none yet. */
static const char **own_descriptor(void)
{
	const char *block;
	__asm__ volatile("mov %%fs:0, %0" : "=r"(block));
	return (const char **)(block + 0x50);
}

static void add_counters(const char *descriptor)
{
	uint32_t counts[REASONS];
	if (descriptor == NULL || !has_libitm())
		return;
	memcpy(counts, descriptor + offset_of_counters(), sizeof(counts));
	for (int i = 0; i < REASONS; i++)
		atomic_fetch_add_explicit(&sums[i], counts[i], memory_order_relaxed);
}

/* A thread, from its creation on; never freed. */
struct start {
	void *(*routine)(void *);
	int (*c11_routine)(void *);
	void *arg;
	const char **descriptor; /* NULL: it does not run */
	struct start *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct start *starts;

static void enter(struct start *start)
{
	pthread_mutex_lock(&lock);
	start->descriptor = own_descriptor();
	pthread_mutex_unlock(&lock);
}

static void leave(void *arg)
{
	struct start *start = arg;
	pthread_mutex_lock(&lock);
	add_counters(*start->descriptor);
	start->descriptor = NULL;
	pthread_mutex_unlock(&lock);
}

static void *start_routine(void *arg)
{
	struct start *start = arg;
	void *result;
	enter(start);
	pthread_cleanup_push(leave, start);
	result = start->routine(start->arg);
	pthread_cleanup_pop(1);
	return result;
}

static int start_c11_routine(void *arg)
{
	struct start *start = arg;
	int result;
	enter(start);
	pthread_cleanup_push(leave, start);
	result = start->c11_routine(start->arg);
	pthread_cleanup_pop(1);
	return result;
}

static struct start *start_make(struct start wanted)
{
	struct start *start = malloc(sizeof(*start));
	if (start == NULL)
		abort();
	*start = wanted;
	pthread_mutex_lock(&lock);
	start->next = starts;
	starts = start;
	pthread_mutex_unlock(&lock);
	return start;
}

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int c11_create_function(thrd_t *, int (*)(void *), void *);

__attribute__((visibility("default"))) int pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *arg)
{
	create_function *create = (create_function *)dlsym(RTLD_NEXT, "pthread_create");
	if (create == NULL)
		abort();
	return create(thread, attributes, start_routine, start_make((struct start){.routine = routine, .arg = arg}));
}

__attribute__((visibility("default"))) int thrd_create(thrd_t *thread, int (*routine)(void *), void *arg)
{
	c11_create_function *create = (c11_create_function *)dlsym(RTLD_NEXT, "thrd_create");
	if (create == NULL)
		abort();
	return create(thread, start_c11_routine, start_make((struct start){.c11_routine = routine, .arg = arg}));
}

static void add_those_that_run(void)
{
	pthread_mutex_lock(&lock);
	for (const struct start *start = starts; start != NULL; start = start->next)
		if (start->descriptor != NULL)
			add_counters(*start->descriptor);
	pthread_mutex_unlock(&lock);
}

__attribute__((destructor)) static void print_counters(void)
{
	const char *fd = getenv("COUNTERS_OUT");
	if (fd == NULL || !has_libitm())
		return;
	add_counters(*own_descriptor());
	add_those_that_run();
	for (int i = 0; i < REASONS; i++)
		dprintf(atoi(fd), "%s=%llu%c", reason_names[i], atomic_load_explicit(&sums[i], memory_order_relaxed),
			i + 1 < REASONS ? ' ' : '\n');
}
