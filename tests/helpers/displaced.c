/* SPDX-License-Identifier: MIT
 * Two threads on one processor. The first one transacts: an attempt fails, another one pauses, and commits. In each of
 * the three parts it does nothing until the second thread has had the processor for 20 ms. So it is off the processor
 * for longer than that, and does not sleep. Embeds the library as any program can.
 * Prints in nanoseconds for how long the first thread was on the processor, and for how long the second one meanwhile.
 * usage: displaced */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

#include <stmlog/agent.h>

enum { PARTS = 3 };
#define PART_NS 20000000u

static _Atomic int part;       /* that is under way, from 1 */
static _Atomic int parts_over; /* the second thread has had the processor in so many */
static uint64_t other_ns;      /* for so long */

static uint64_t on_processor_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void *displace(void *unused)
{
	for (int i = 1; i <= PARTS; i++) {
		while (part != i)
			sched_yield();
		uint64_t before_ns = on_processor_ns(), now_ns = before_ns;
		while (now_ns - before_ns < PART_NS)
			now_ns = on_processor_ns();
		other_ns += now_ns - before_ns;
		parts_over = i;
	}
	return unused;
}

static void be_displaced(void)
{
	int mine = ++part;
	while (parts_over != mine)
		;
}

static void transact(struct stmlog_thread *thread)
{
	struct stmlog_loss abort = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "LOCKED");
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, "SPIN");
	stmlog_start(thread);
	be_displaced();
	stmlog_abort(thread, &abort);
	stmlog_retry(thread);
	stmlog_wait_begin(thread, &pause);
	be_displaced();
	stmlog_wait_end(thread);
	be_displaced();
	stmlog_commit(thread);
}

static int use_one_processor(void)
{
	cpu_set_t all, one;
	size_t number = 0;
	if (sched_getaffinity(0, sizeof all, &all) != 0)
		return -1;
	while (!CPU_ISSET(number, &all))
		number++;
	CPU_ZERO(&one);
	CPU_SET(number, &one);
	return sched_setaffinity(0, sizeof one, &one);
}

int main(void)
{
	const struct stmlog_setup setup = {.runtime = "displaced"};
	pthread_t thread;
	if (use_one_processor() != 0 || stmlog_open(&setup) != 0)
		return 2;
	struct stmlog_thread *self = stmlog_thread_open(NULL);
	if (pthread_create(&thread, NULL, displace, NULL) != 0)
		return 2;
	uint64_t before_ns = on_processor_ns();
	transact(self);
	uint64_t own_ns = on_processor_ns() - before_ns;
	pthread_join(thread, NULL);
	printf("own %llu\nother %llu\n", (unsigned long long)own_ns, (unsigned long long)other_ns);
	stmlog_close();
}
