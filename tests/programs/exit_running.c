/* SPDX-License-Identifier: MIT
 *
 * The process exits while its threads still transact, and the report is made meanwhile. Main only waits until each
 * thread has done some rounds.
 */
#include "program.h"
#include "total.h"

#include <pthread.h>
#include <sched.h>

/* Threads that did their rounds; release in run(), acquire in main(). */
static uint64_t warm;

static void *run(void *unused)
{
	(void)unused;
	total_rounds(0);
	__atomic_fetch_add(&warm, 1, __ATOMIC_RELEASE);
	for (;;)
		total_add(0);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	for (unsigned i = 0; i < threads; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, run, NULL) != 0)
			return 3;
	}
	while (__atomic_load_n(&warm, __ATOMIC_ACQUIRE) < threads)
		sched_yield();
	uint64_t total = total_read();
	return program_result(total == total_expected(1) * threads, total);
}
