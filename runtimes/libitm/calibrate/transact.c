/* SPDX-License-Identifier: MIT
 * Makes transactions by calls of libitm's ABI, in the calling thread and in a second one. Variables that change between
 * two returns of begin are volatile, as with setjmp(). */
#include "calibrate.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <string.h>

#include "asm_shared.h"

/* ---- begin ---- */

uint32_t (*transact_real_begin)(uint32_t properties, ...) __attribute__((visibility("hidden")));

/* libitm's begin, under a name that can be declared as returning twice; a pointer to a function cannot. It leaves the
 * stack as it is, so that libitm sees the caller's. */
__asm__("	.pushsection .text\n"
	"	.globl	transact_begin\n"
	"	.type	transact_begin, @function\n"
	"	.p2align 4\n"
	"transact_begin:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	jmp	*transact_real_begin(%rip)\n"
	"	.cfi_endproc\n"
	"	.size	transact_begin, . - transact_begin\n"
	"	.popsection\n");

/* ---- transactions ---- */

static void (*commit)(void);
static void (*cancel)(uint32_t);
static uint64_t (*load)(const uint64_t *);
static void (*store)(uint64_t *, uint64_t);

static bool look_up(void *library, const char *name, void *place)
{
	void *found = dlsym(library, name);
	memcpy(place, &found, sizeof found);
	return found != NULL;
}

bool transact_with(void *library)
{
	return look_up(library, "_ITM_beginTransaction", &transact_real_begin) &&
	       look_up(library, "_ITM_commitTransaction", &commit) &&
	       look_up(library, "_ITM_abortTransaction", &cancel) && look_up(library, "_ITM_RU8", &load) &&
	       look_up(library, "_ITM_WU8", &store);
}

const void *transact_begin_entry(void)
{
	const void *entry;
	memcpy(&entry, &transact_real_begin, sizeof entry);
	return entry;
}

__attribute__((noinline)) void transact_write(uint64_t *word, transact_callback *callback, void *argument)
{
	transact_begin(ITM_RUNS_INSTRUMENTED | ITM_HAS_NO_CANCEL);
	store(word, (uintptr_t)word);
	if (callback != NULL)
		callback(argument);
	commit();
}

__attribute__((noinline)) void transact_read(const uint64_t *word)
{
	transact_begin(ITM_RUNS_INSTRUMENTED | ITM_HAS_NO_CANCEL);
	(void)load(word);
	commit();
}

__attribute__((noinline)) void transact_irrevocable(transact_callback *callback, void *argument)
{
	transact_begin(ITM_RUNS_INSTRUMENTED | ITM_RUNS_UNINSTRUMENTED | ITM_HAS_NO_CANCEL | ITM_GOES_IRREVOCABLE);
	if (callback != NULL)
		callback(argument);
	commit();
}

__attribute__((noinline)) void transact_nested(uint64_t *word)
{
	transact_begin(ITM_RUNS_INSTRUMENTED);
	if (!(transact_begin(ITM_RUNS_INSTRUMENTED) & ITM_ABORTED)) {
		store(word, (uintptr_t)word);
		cancel(ITM_USER_ABORT);
	}
	commit();
}

/* begin may return again until commit, so each transaction stands in one function. */
__attribute__((noinline)) bool transact_locked(uint64_t *word, bool writes, unsigned times)
{
	volatile unsigned tries = 0;
	volatile bool is_locked = true;
	transact_begin(ITM_RUNS_INSTRUMENTED | ITM_HAS_NO_CANCEL);
	if (tries < times && is_locked) {
		tries = tries + 1;
		if (writes)
			store(word, 0);
		else
			(void)load(word);
		is_locked = false; /* the access has returned: no restart */
	}
	commit();
	return is_locked;
}

/* ---- the second thread ---- */

/* What the second thread is to do. It and the caller take turns by two semaphores. The caller posts `ordered` when the
 * order is complete, the thread posts `done`. */
static struct {
	uint64_t *word;
	transact_callback *callback;
	void *argument;
} order;
static sem_t ordered, done;

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore) != 0 && errno == EINTR)
		continue;
}

static void run_within(void *unused)
{
	(void)unused;
	if (order.callback != NULL)
		order.callback(order.argument);
	sem_post(&done);
	wait_for(&ordered);
}

/* The second thread. It never returns: the process ends with it. */
static void *run(void *unused)
{
	for (;;) {
		wait_for(&ordered);
		if (order.word != NULL)
			transact_write(order.word, run_within, unused);
		else
			transact_irrevocable(run_within, unused);
		sem_post(&done);
	}
	return unused;
}

bool second_thread_start(void)
{
	static uint64_t word;
	pthread_t thread;
	if (sem_init(&ordered, 0, 0) != 0 || sem_init(&done, 0, 0) != 0 ||
		pthread_create(&thread, NULL, run, NULL) != 0)
		return false;
	second_thread_begin(&word, NULL, NULL);
	second_thread_commit();
	return true;
}

void second_thread_begin(uint64_t *word, transact_callback *callback, void *argument)
{
	order.word = word;
	order.callback = callback;
	order.argument = argument;
	sem_post(&ordered);
	wait_for(&done);
}

void second_thread_commit(void)
{
	sem_post(&ordered);
	wait_for(&done);
}
