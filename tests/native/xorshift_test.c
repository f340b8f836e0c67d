/* SPDX-License-Identifier: MIT
 * Random numbers for sampling. */

#include "test.h"
#include "xorshift.h"

TEST(numbers_depend_on_the_state_alone)
{
	uint64_t one = 1, same = 1, other = 2;
	for (int i = 0; i < 100; i++) {
		uint64_t number = native_random(&one);
		assert_true(number == native_random(&same));
		assert_true(number != native_random(&other));
	}
}

TEST(a_state_never_becomes_0)
{
	uint64_t of_few_bits = 1, of_all = UINT64_MAX;
	for (int i = 0; i < 100000; i++) {
		native_random(&of_few_bits);
		native_random(&of_all);
		assert_true(of_few_bits != 0 && of_all != 0);
	}
}

/* Each of 16 parts has 4,096 of 65,536 numbers on average; the deviation from that is 62. */
TEST(numbers_are_spread_evenly)
{
	uint64_t random = 1;
	int counts[16] = {0};
	for (int i = 0; i < 65536; i++)
		counts[native_random(&random) >> 60]++;
	for (int i = 0; i < 16; i++)
		assert_in_range(counts[i], 4096 - 310, 4096 + 310);
}
