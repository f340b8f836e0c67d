/* SPDX-License-Identifier: MIT
 * All threads that wait share a condition variable. */
#include "waiting.h"

#include <pthread.h>

volatile AO_t waiting_threads;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint64_t changes; /* how often a commit has woken the threads; guarded by the mutex */

static bool has_changed(const struct stm_thread *thread)
{
	for (size_t i = 0; i < thread->sets.reads_len; i++) {
		AO_t look = lock_look(lock_of(thread->sets.reads[i].word));
		if (lock_is_held(look) || look > thread->snapshot)
			return true;
	}
	return false;
}

/* The system may wake a thread though no commit has done so: then it sleeps on, and nobody is told. */
static void sleep_until_woken(void)
{
	uint64_t seen = changes;
	while (changes == seen)
		pthread_cond_wait(&changed, &mutex);
}

/* The profiler is told of each time that a commit has woken the thread, also if it has changed other words. */
void waiting_for_change(struct stm_thread *thread)
{
	const struct stmlog_loss blocked = stmlog_loss_of(STMLOG_BLOCKED, STMLOG_NONE, NULL);
	stmlog_wait_begin(thread->profile.thread, &blocked);
	pthread_mutex_lock(&mutex);
	AO_fetch_and_add_full(&waiting_threads, 1);
	while (!has_changed(thread)) {
		sleep_until_woken();
		if (!has_changed(thread)) {
			stmlog_wait_end(thread->profile.thread);
			stmlog_wait_begin(thread->profile.thread, &blocked);
		}
	}
	AO_fetch_and_add_full(&waiting_threads, (AO_t)-1);
	pthread_mutex_unlock(&mutex);
	stmlog_wait_end(thread->profile.thread);
}

void waiting_wake_on(void)
{
	pthread_mutex_lock(&mutex);
	changes++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
}

unsigned stm_waiting(void)
{
	return (unsigned)AO_load(&waiting_threads);
}
