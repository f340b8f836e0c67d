/* SPDX-License-Identifier: MIT
 *
 * The two sources of the clock. CLOCK_MONOTONIC is always right. Reading the TSC takes about half
 * the time. It is right if the processor guarantees that it runs at one speed on all cores in all
 * power states, and the kernel has not found it otherwise: then a multiplication maps it to CLOCK_MONOTONIC.
 */
#include "clock.h"

#include <sys/syscall.h>
#include <unistd.h>

clock_function *clock_source;

uint64_t clock_by_call_ns(void)
{
	struct timespec now;
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return clock_ns_of(now);
}

#ifdef __x86_64__
#include <cpuid.h>
#include <fcntl.h>
#include <string.h>
#include <x86intrin.h>

static struct clock_tsc calibrated;

static inline uint64_t tsc_to_ns(uint64_t tsc)
{
	return calibrated.base_ns + (uint64_t)(((unsigned __int128)(tsc - calibrated.base) * calibrated.scale) >> 32);
}

static uint64_t clock_tsc_ns(void)
{
	/* No fence: a reading may move by the few instructions around it, as a reading of clock_gettime() may. */
	return tsc_to_ns(__rdtsc());
}

uint64_t clock_now_by_tsc_ns(uint64_t tsc)
{
	return clock_source == clock_tsc_ns ? tsc_to_ns(tsc) : clock_now_ns();
}

static bool tsc_is_invariant(void)
{
	unsigned a, b, c, d;
	return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
}

/* The kernel compares the TSCs of all processors, and lists the TSC no more when they have differed. Each name in its
 * list ends with a space. */
static bool is_listed(void)
{
	char names[256] = " ";
	int fd = open("/sys/devices/system/clocksource/clocksource0/available_clocksource", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t len = read(fd, names + 1, sizeof names - 2);
	close(fd);
	return len > 0 && strstr(names, " tsc ") != NULL;
}

/* Reads both clocks at one instant, as nearly as possible: takes the shortest of several tries. */
static void read_pair(uint64_t *tsc, uint64_t *ns)
{
	uint64_t shortest = UINT64_MAX;
	for (int try = 0; try < 16; try++) {
		uint64_t before = __rdtsc();
		uint64_t now = clock_monotonic_ns();
		uint64_t after = __rdtsc();
		if (after - before < shortest) {
			shortest = after - before;
			*tsc = before + (after - before) / 2;
			*ns = now;
		}
	}
}

bool clock_calibrate_tsc(struct clock_tsc *tsc)
{
	uint64_t tsc_1 = 0, tsc_2 = 0, ns_1 = 0, ns_2 = 0;
	if (!tsc_is_invariant() || !is_listed())
		return false;
	read_pair(&tsc_1, &ns_1);
	struct timespec pause = {0, 10000000};
	nanosleep(&pause, NULL);
	read_pair(&tsc_2, &ns_2);
	if (tsc_2 <= tsc_1 || ns_2 <= ns_1)
		return false;
	uint64_t scale = (uint64_t)(((unsigned __int128)(ns_2 - ns_1) << 32) / (tsc_2 - tsc_1));
	*tsc = (struct clock_tsc){tsc_2, ns_2, scale};
	return true;
}

bool clock_use_tsc(const struct clock_tsc *tsc)
{
	enum { NEAR_NS = 1000000 };
	const struct clock_tsc before = calibrated;
	calibrated = *tsc;
	uint64_t now_ns = clock_monotonic_ns(), difference = clock_tsc_ns() - now_ns + NEAR_NS;
	if (!tsc_is_invariant() || difference > 2 * NEAR_NS) {
		calibrated = before;
		return false;
	}
	clock_source = clock_tsc_ns;
	return true;
}

static bool is_tsc(void)
{
	return clock_source == clock_tsc_ns;
}
#else
uint64_t clock_now_by_tsc_ns(uint64_t tsc)
{
	(void)tsc;
	return clock_now_ns();
}

bool clock_calibrate_tsc(struct clock_tsc *tsc)
{
	(void)tsc;
	return false;
}

bool clock_use_tsc(const struct clock_tsc *tsc)
{
	(void)tsc;
	return false;
}

static bool is_tsc(void)
{
	return false;
}
#endif

void clock_use(clock_function *source)
{
	clock_source = source;
}

const char *clock_name(void)
{
	if (clock_source == NULL || clock_source == clock_by_call_ns)
		return "monotonic";
	return is_tsc() ? "tsc" : "custom";
}
