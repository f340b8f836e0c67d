/* SPDX-License-Identifier: MIT
 *
 * Prints the nanoseconds of one call of a small function. Compiled three times: as it is; with the hooks of -pg, for
 * uftrace; and with a push and a pop on a shadow stack in each call (PUSHES).
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <stmlog/agent.h>

enum { CALLS = 2000000 };

#ifdef PUSHES
static struct stmlog_thread *thread;
#define ENTER() stmlog_push(thread, TB_HERE())
#define LEAVE() stmlog_pop(thread)
#else
#define ENTER() ((void)0)
#define LEAVE() ((void)0)
#endif

static volatile unsigned sum;

__attribute__((noinline)) static void step(unsigned i)
{
	ENTER();
	sum += i;
	LEAVE();
}

static double now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(void)
{
#ifdef PUSHES
	const struct stmlog_setup setup = {.runtime = "calls", .report = "none"};
	if (stmlog_open(&setup) != 0)
		return 1;
	thread = stmlog_thread_open(NULL);
#endif
	double began_ns = now_ns();
	for (unsigned i = 0; i < CALLS; i++)
		step(i);
	printf("%.2f\n", (now_ns() - began_ns) / CALLS);
	return 0;
}
