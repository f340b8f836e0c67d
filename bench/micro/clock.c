/* SPDX-License-Identifier: MIT
 *
 * Prints the cost of one reading of CLOCK_MONOTONIC in nanoseconds. bench/agent.sh counts
 * the agent's cost in such readings. The cost is that of the fastest of many short slices,
 * so that an interrupt or another process in one slice does not count.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { SLICES = 200, READINGS = 1000 };

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int main(void)
{
	uint64_t shortest = UINT64_MAX;
	for (int slice = 0; slice < SLICES; slice++) {
		uint64_t start = now_ns(), end = start;
		for (int i = 0; i < READINGS; i++)
			end = now_ns();
		if (end - start < shortest)
			shortest = end - start;
	}
	printf("%.2f\n", (double)shortest / READINGS);
	return 0;
}
