/* SPDX-License-Identifier: MIT
 * Many transactions on the shared number. */
#include "total.h"

void total_rounds(unsigned number)
{
	for (unsigned i = 0; i < TOTAL_ROUNDS; i++)
		total_add(number + 1);
}

uint64_t total_expected(unsigned threads)
{
	return (uint64_t)TOTAL_ROUNDS * threads * (threads + 1) / 2;
}
