/* SPDX-License-Identifier: MIT
 * The sources of the clock. */

#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "test.h"

#define S UINT64_C(1000000000)

/* After this many readings CLOCK_MONOTONIC jumps forward by a millisecond; 0: never. */
static int readings_until_jump;
static long ahead_ns;

/* In place of libc's. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	long status = syscall(SYS_clock_gettime, clock, now);
	if (clock == CLOCK_MONOTONIC && readings_until_jump > 0 && --readings_until_jump == 0)
		ahead_ns = 1000000;
	now->tv_nsec += ahead_ns;
	if (now->tv_nsec >= 1000000000) {
		now->tv_nsec -= 1000000000;
		now->tv_sec++;
	}
	return (int)status;
}

static void use_default(void)
{
	ahead_ns = 0;
	readings_until_jump = 0;
	clock_use(NULL);
}

static const struct test_fixture use_default_fixture = {use_default, use_default};

static uint64_t seven(void)
{
	return 7;
}

/* Whether a reading lies between two of CLOCK_MONOTONIC, give or take a second: it may be of another source. */
static void assert_reads_monotonic(void)
{
	uint64_t before = clock_monotonic_ns();
	uint64_t now = clock_now_ns();
	uint64_t after = clock_monotonic_ns();
	assert_true(before < now + S);
	assert_true(now < after + S);
}

TEST_WITH(use_default_fixture, without_a_source_the_clock_is_monotonic)
{
	assert_string_equal(clock_name(), "monotonic");
	assert_reads_monotonic();
}

TEST_WITH(use_default_fixture, a_source_of_the_programs_own_is_read_and_called_custom)
{
	clock_use(seven);
	assert_string_equal(clock_name(), "custom");
	assert_int_equal(clock_now_ns(), 7);
	assert_int_equal(clock_now_by_tsc_ns(1), 7);
	clock_use(NULL);
	assert_string_equal(clock_name(), "monotonic");
}

static uint64_t read_tsc(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return 0; /* never the source */
#endif
}

TEST_WITH(use_default_fixture, readings_of_the_tsc_are_those_of_the_monotonic_clock_and_never_go_back)
{
	struct clock_tsc tsc;
	if (clock_calibrate_tsc(&tsc) != NULL)
		skip(); /* this machine has none */
	assert_true(clock_use_tsc(&tsc));
	assert_string_equal(clock_name(), "tsc");
	uint64_t last = clock_now_ns();
	for (int i = 0; i < 1000; i++) {
		uint64_t now = i % 2 != 0 ? clock_now_ns() : clock_now_by_tsc_ns(read_tsc());
		assert_true(now >= last);
		last = now;
	}
	assert_reads_monotonic();
}

TEST_WITH(use_default_fixture, where_a_calibration_does_not_fit_the_source_stays)
{
	struct clock_tsc tsc = {.base = 0};
	clock_use(seven);
	assert_false(clock_use_tsc(&tsc)); /* all readings would be 0 */
	assert_string_equal(clock_name(), "custom");
	if (clock_calibrate_tsc(&tsc) != NULL)
		skip();
	tsc.base_ns += 2000000;
	assert_false(clock_use_tsc(&tsc));
	tsc.base_ns -= 4000000;
	assert_false(clock_use_tsc(&tsc));
	assert_string_equal(clock_name(), "custom");
}

TEST_WITH(use_default_fixture, a_tsc_that_does_not_keep_pace_with_the_monotonic_clock_is_not_calibrated)
{
	struct clock_tsc tsc;
	if (clock_calibrate_tsc(&tsc) != NULL)
		skip();
	readings_until_jump = 20; /* each of the three pairs takes 16 */
	assert_string_equal(clock_calibrate_tsc(&tsc), "the TSC does not keep pace with CLOCK_MONOTONIC");
}
