/* SPDX-License-Identifier: MIT
 * Which calls forbid what, and that the hooks hear of each thing once. No filter is set. */
#include <errno.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "filter.h"
#include "test.h"

TEST(filters_forbid_calls)
{
	assert_int_equal(native_forbidden_by(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER), NATIVE_NO_CALLS);
	assert_int_equal(native_forbidden_by(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0), NATIVE_NO_CALLS);
}

TEST(strict_filters_and_pr_set_tsc_forbid_the_clock)
{
	assert_int_equal(native_forbidden_by(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_STRICT), NATIVE_NO_CLOCK);
	assert_int_equal(native_forbidden_by(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0), NATIVE_NO_CLOCK);
	assert_int_equal(native_forbidden_by(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV), NATIVE_NO_CLOCK);
}

TEST(questions_and_other_calls_forbid_nothing)
{
	assert_int_equal(native_forbidden_by(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0), NATIVE_NOTHING_FORBIDDEN);
	assert_int_equal(native_forbidden_by(SYS_prctl, PR_GET_SECCOMP, 0), NATIVE_NOTHING_FORBIDDEN);
	assert_int_equal(native_forbidden_by(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE), NATIVE_NOTHING_FORBIDDEN);
	assert_int_equal(native_forbidden_by(SYS_getpid, PR_SET_TSC, PR_TSC_SIGSEGV), NATIVE_NOTHING_FORBIDDEN);
}

static unsigned heard[NATIVE_NO_CLOCK + 1];

static void hear(enum native_forbidden forbidden)
{
	heard[forbidden]++;
	errno = EIO;
}

TEST(hooks_hear_once_of_each_thing_that_is_forbidden)
{
	errno = 77;
	native_before_filter(NATIVE_NO_CALLS, hear);
	native_before_filter(NATIVE_NO_CALLS, hear);
	assert_true(native_is_filtered());
	assert_false(native_has_no_clock());
	native_before_filter(NATIVE_NO_CLOCK, hear);
	native_before_filter(NATIVE_NO_CALLS, hear);
	assert_true(native_has_no_clock());
	assert_int_equal(heard[NATIVE_NO_CALLS], 1);
	assert_int_equal(heard[NATIVE_NO_CLOCK], 1);
	assert_int_equal(errno, 77);
}
