/* SPDX-License-Identifier: MIT
 * The shared number in place of support/total.c, for programs that embed the library: each transaction is one atomic
 * addition between two hooks. It takes no lock, which a forked child could find locked for ever. With STMLOG_OFF the
 * same program without the library. */
#include "total.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include <stmlog/agent.h>

static atomic_uint_fast64_t total;

static void open_session(void)
{
	static const struct stmlog_setup setup = {.runtime = "embedded"};
	(void)stmlog_open(&setup);
}

static struct stmlog_thread *attached(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, open_session);
	return stmlog_thread_open(NULL);
}

__attribute__((noinline)) void total_add(uint64_t amount)
{
	struct stmlog_thread *thread = attached();
	stmlog_start(thread);
	atomic_fetch_add(&total, amount);
	stmlog_commit(thread);
}

__attribute__((noinline)) uint64_t total_read(void)
{
	struct stmlog_thread *thread = attached();
	stmlog_start(thread);
	uint64_t seen = atomic_load(&total);
	stmlog_commit(thread);
	return seen;
}
