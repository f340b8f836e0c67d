/* SPDX-License-Identifier: MIT
 *
 * For locks.hs: stops a transaction while it has locked a TVar. The RTS calls dirty_TVAR() for each TVar that a commit
 * has written, when it has just unlocked it and others are still locked; the linker leads that call to this file
 * (--wrap). The functions for Haskell code are called in the transaction, directly before it commits or reads, and work
 * for the calling OS thread. */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

extern void __real_dirty_TVAR(void *capability, void *tvar, void *old_value);

/* Processor time that nothing takes between hold_until_spinning() and the access, by far. */
#define SPUN_NS 5000000

static sem_t holds, may_go_on, has_let_go;
static __thread bool is_to_stop, is_to_tell, is_to_release;

static void await(sem_t *semaphore)
{
	while (sem_wait(semaphore) != 0)
		;
}

void __wrap_dirty_TVAR(void *capability, void *tvar, void *old_value)
{
	__real_dirty_TVAR(capability, tvar, old_value);
	if (is_to_stop) {
		is_to_stop = false;
		is_to_tell = true;
		sem_post(&holds);
		await(&may_go_on);
	} else if (is_to_tell) {
		is_to_tell = false;
		sem_post(&has_let_go);
	} else if (is_to_release) {
		is_to_release = false;
		sem_post(&may_go_on);
		await(&has_let_go);
	}
}

/* The commit stops when it has unlocked the first TVar. It tells when it has unlocked the second one. */
void hold_stop(void)
{
	is_to_stop = true;
}

/* Waits until a commit has stopped. */
void hold_await(void)
{
	await(&holds);
}

/* When the commit that follows gives its own lock back, the other one goes on, and lets its lock go first. */
void hold_release_at_failure(void)
{
	is_to_release = true;
}

static uint64_t nanoseconds(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void *release_when_spinning(void *clock)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	uint64_t before_ns = nanoseconds((clockid_t)(intptr_t)clock);
	while (nanoseconds((clockid_t)(intptr_t)clock) - before_ns < SPUN_NS)
		nanosleep(&pause, NULL);
	sem_post(&may_go_on);
	await(&has_let_go);
	return NULL;
}

/* The commit that has stopped goes on when the calling OS thread has spun for long. */
void hold_until_spinning(void)
{
	clockid_t clock;
	pthread_t thread;
	pthread_getcpuclockid(pthread_self(), &clock);
	if (pthread_create(&thread, NULL, release_when_spinning, (void *)(intptr_t)clock) == 0)
		pthread_detach(thread);
}

__attribute__((constructor)) static void open_semaphores(void)
{
	sem_init(&holds, 0, 0);
	sem_init(&may_go_on, 0, 0);
	sem_init(&has_let_go, 0, 0);
}
