/* SPDX-License-Identifier: MIT
 *
 * The two sources of the clock. CLOCK_MONOTONIC is always right. Reading the TSC takes about half the time. It is right
 * if the processor guarantees that it runs at one speed on all cores in all power states, and neither the kernel nor
 * the calibration has found it otherwise: then a multiplication maps it to CLOCK_MONOTONIC.
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

/* `tsc` is not before base. */
static inline uint64_t ns_by(const struct clock_tsc *by, uint64_t tsc)
{
	return by->base_ns + (uint64_t)(((unsigned __int128)(tsc - by->base) * by->scale) >> 32);
}

static uint64_t clock_tsc_ns(void)
{
	/* No fence: a reading may move by the few instructions around it, as a reading of clock_gettime() may. */
	return ns_by(&calibrated, __rdtsc());
}

uint64_t clock_now_by_tsc_ns(uint64_t tsc)
{
	return clock_source == clock_tsc_ns ? ns_by(&calibrated, tsc) : clock_now_ns();
}

static bool tsc_is_invariant(void)
{
	unsigned a, b, c, d;
	return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
}

/* The kernel compares the TSCs of all processors, and lists the TSC no more when they have differed. Each name in its
 * list ends with a space. A list that cannot be read, as where /sys is not mounted, says nothing against the TSC. */
static bool kernel_has_removed_tsc(void)
{
	char names[256] = " ";
	int fd = open("/sys/devices/system/clocksource/clocksource0/available_clocksource", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t len = read(fd, names + 1, sizeof names - 2);
	close(fd);
	return len > 0 && strstr(names, " tsc ") == NULL;
}

/* Both clocks at one instant. */
struct pair {
	uint64_t tsc, ns;
};

/* As nearly as possible: takes the shortest of several tries. */
static struct pair read_pair(void)
{
	struct pair pair = {0, 0};
	uint64_t shortest = UINT64_MAX;
	for (int try = 0; try < 16; try++) {
		uint64_t before = __rdtsc();
		uint64_t now = clock_monotonic_ns();
		uint64_t after = __rdtsc();
		if (after - before < shortest) {
			shortest = after - before;
			pair = (struct pair){before + (after - before) / 2, now};
		}
	}
	return pair;
}

static struct pair read_pair_later(void)
{
	struct timespec pause = {0, 5000000};
	nanosleep(&pause, NULL);
	return read_pair();
}

/* Whether the two differ by at most so much. */
static bool are_near(uint64_t one, uint64_t other, uint64_t most)
{
	return one - other + most <= 2 * most;
}

/* Of three pairs the first and the last give the speed, and the one between them must lie on their line. */
const char *clock_calibrate_tsc(struct clock_tsc *tsc)
{
	enum { NEAR_NS = 100000 };
	if (!tsc_is_invariant())
		return "the processor does not guarantee that its TSC runs at one speed";
	if (kernel_has_removed_tsc())
		return "the kernel does not list the TSC as a clock source";
	const struct pair first = read_pair(), between = read_pair_later(), last = read_pair_later();
	if (first.tsc < between.tsc && between.tsc < last.tsc && first.ns < last.ns) {
		uint64_t scale = (uint64_t)(((unsigned __int128)(last.ns - first.ns) << 32) / (last.tsc - first.tsc));
		*tsc = (struct clock_tsc){first.tsc, first.ns, scale};
		if (are_near(ns_by(tsc, between.tsc), between.ns, NEAR_NS))
			return NULL;
	}
	return "the TSC does not keep pace with CLOCK_MONOTONIC";
}

bool clock_use_tsc(const struct clock_tsc *tsc)
{
	enum { NEAR_NS = 1000000 };
	const struct pair now = read_pair();
	if (!tsc_is_invariant() || !are_near(ns_by(tsc, now.tsc), now.ns, NEAR_NS))
		return false;
	calibrated = *tsc;
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

const char *clock_calibrate_tsc(struct clock_tsc *tsc)
{
	(void)tsc;
	return "this kind of processor has no TSC";
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
