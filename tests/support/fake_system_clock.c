/* SPDX-License-Identifier: MIT
 * What unit tests call in the place of the system's clocks: they are linked with --wrap (FAKE_CLOCK in tests/rules.mk).
 * All clocks show the same time, but for those of processor time, which do not move while threads are off the
 * processor. */
#include <stdbool.h>
#include <sys/resource.h>
#include <time.h>

#include "fake_clock.h"

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __real_getrusage(int who, struct rusage *usage);
int __wrap_getrusage(int who, struct rusage *usage);

/* The clock of a process fails as the kernel's does, if there is no such process. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	bool is_of_process = clock < 0;
	if (is_of_process && __real_clock_gettime(clock, time) != 0)
		return -1;
	bool is_of_work = is_of_process || clock == CLOCK_THREAD_CPUTIME_ID || clock == CLOCK_PROCESS_CPUTIME_ID;
	uint64_t ns = is_of_work ? fake_clock_processor_ns() : fake_clock_now_ns();
	*time = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	return 0;
}

uint64_t fake_clock_lag_ns;

int __wrap_getrusage(int who, struct rusage *usage)
{
	int result = __real_getrusage(who, usage);
	uint64_t us = (fake_clock_processor_ns() - fake_clock_lag_ns) / 1000;
	usage->ru_nvcsw = (long)fake_clock_sleeps();
	usage->ru_utime = (struct timeval){(time_t)(us / 1000000), (long)(us % 1000000)};
	usage->ru_stime = (struct timeval){0, 0};
	return result;
}
