/* SPDX-License-Identifier: MIT
 *
 * Transactions in the destructor of thread-specific data: when they run, the profiler's and libitm's own data of the
 * thread may have been freed. Some threads have begun a transaction before, others begin their first one there.
 */
#include "program.h"
#include "total.h"

#include <pthread.h>

enum { ROUNDS = 20 };

static pthread_key_t key;

static void destroy(void *arg)
{
	total_add(*(const uint64_t *)arg);
}

static void body(unsigned number)
{
	static const uint64_t amounts[2] = {100, 1000};
	if (number % 2 == 0)
		total_add(1);
	pthread_setspecific(key, &amounts[number % 2]);
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	if (pthread_key_create(&key, destroy) != 0)
		return 3;
	for (unsigned i = 0; i < ROUNDS; i++)
		program_run(threads, body);
	uint64_t even = (threads + 1) / 2, odd = threads / 2, total = total_read();
	return program_result(total == ROUNDS * (even * 101 + odd * 1000), total);
}
