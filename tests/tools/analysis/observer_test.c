/* SPDX-License-Identifier: MIT */

#include "observer.h"
#include "test.h"

static const struct recording_info phases = {
	.on_phases = 40,
	.on_ns = 3200000000,
	.on_transactions = 800000,
	.on_aborts = 1600,
	.on_aborts_square = 40 * 40 * 40,
	.on_aborts_us = UINT64_C(40) * 40 * 80000,
	.on_us_square = UINT64_C(40) * 80000 * 80000,
	.off_phases = 38,
	.off_ns = 800000000,
	.off_transactions = 250000,
	.off_aborts = 500,
	.off_aborts_square = 38 * 13 * 13, /* 500 / 38 is about 13 */
	.off_aborts_us = UINT64_C(38) * 13 * 21053,
	.off_us_square = UINT64_C(38) * 21053 * 21053,
};

TEST(it_is_the_ratio_of_both_rates)
{
	struct observer observer = observer_of(&phases);
	assert_true(observer.is_known);
	/* 500 a second with measuring, 625 without; 2 in 1,000 transactions in both. */
	assert_true(observer.effect > 0.79999 && observer.effect < 0.80001);
	assert_true(observer.per_transaction > 0.99999 && observer.per_transaction < 1.00001);
	assert_true(observer.low <= observer.effect && observer.effect <= observer.high);
}

/* If 19 off phases have all of the aborts, and 19 have none, the relative error of their rate is the root of 2 / 37. */
TEST(its_interval_is_wider_if_the_phases_differ)
{
	struct recording_info info = phases;
	info.off_aborts_square = 2 * info.off_aborts * info.off_aborts / 38;
	struct observer observer = observer_of(&info);
	assert_true(observer.is_known);
	assert_true(observer.high / observer.effect > 1.4 && observer.high / observer.effect < 1.5);
	assert_true(observer.effect / observer.low > 1.4 && observer.effect / observer.low < 1.5);
}

TEST(if_aborts_come_in_bursts_it_is_not_known)
{
	struct recording_info info = phases;
	info.on_aborts_square = info.on_aborts * info.on_aborts; /* all in one phase */
	struct observer observer = observer_of(&info);
	assert_false(observer.is_known);
	assert_true(observer.is_in_bursts);
	assert_true(observer.high > 2 * observer.effect);
}

TEST(with_too_few_phases_or_aborts_it_is_not_known)
{
	static const size_t members[] = {offsetof(struct recording_info, on_phases),
		offsetof(struct recording_info, off_phases), offsetof(struct recording_info, on_aborts),
		offsetof(struct recording_info, off_aborts)};
	static const uint64_t min[] = {10, 10, 100, 100};
	for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
		struct recording_info info = phases;
		info.on_aborts_square = info.off_aborts_square = 0; /* the phases are alike */
		uint64_t *member = (uint64_t *)(void *)((char *)&info + members[i]);
		*member = min[i];
		assert_true(observer_of(&info).is_known);
		*member = min[i] - 1;
		assert_false(observer_of(&info).is_known);
	}
}

TEST(no_time_is_no_rate)
{
	struct recording_info info = phases;
	info.off_ns = 0;
	assert_false(observer_of(&info).is_known);
	assert_false(observer_of(&(struct recording_info){.pid = 1}).is_known);
}
