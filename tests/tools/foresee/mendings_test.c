/* SPDX-License-Identifier: MIT
 * What real mendings leave. */
#include <math.h>

#include "mendings.h"
#include "test.h"

static const struct foresee_check exact = {.recorded_per_s = 1000, .replayed_per_s = 1000};

static struct foresee_ratio mended(double low, double value, double high, const struct foresee_check *check)
{
	return mendings_ratio((struct foresee_ratio){value, low, high}, check);
}

TEST(the_lower_end_leaves_a_fiftieth_of_the_time_of_a_commit)
{
	assert_true(fabs(mended(50, 60, 70, &exact).low - 25) < 1e-9);
	assert_true(fabs(mended(1, 1, 1, &exact).low - 1 / 1.02) < 1e-9);
	assert_true(mended(1e12, 1e12, 1e12, &exact).low <= 50);
	assert_true(fabs(mended(50, 60, 70, &exact).value - 60) < 1e-9);
	assert_true(fabs(mended(50, 60, 70, &exact).high - 70) < 1e-9);
}

TEST(the_value_lies_midway_between_the_ratios_to_the_replay_and_to_the_recording)
{
	const struct foresee_check slow = {.recorded_per_s = 1000, .replayed_per_s = 810};
	/* 2 times 810 is 1.62 times the recording */
	assert_true(fabs(mended(1, 2, 3, &slow).value - sqrt(2 * 1.62)) < 1e-9);
	assert_true(fabs(mended(1, 2, 3, &slow).high - 3 * 0.9) < 1e-9);
	assert_true(fabs(mended(1, 2, 3, &slow).low - 1 / (1 / 0.9 + 0.02)) < 1e-9);
}

TEST(what_is_not_known_stays_unknown)
{
	assert_true(fabs(mended(0, 0, 0, &exact).value) < 1e-9);
	assert_true(fabs(mended(0, 0, 0, &exact).low) < 1e-9);
	assert_true(fabs(mended(1, 2, 3, &(struct foresee_check){0}).value) < 1e-9);
}
