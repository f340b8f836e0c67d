/* SPDX-License-Identifier: MIT
 *
 * Compiled with -fgnu-tm, as the programs are.
 */
#include "total.h"

static uint64_t total;

__attribute__((noinline)) void total_add(uint64_t amount)
{
	__transaction_atomic
	{
		total += amount;
	}
}

__attribute__((noinline)) uint64_t total_read(void)
{
	uint64_t seen;
	__transaction_atomic
	{
		seen = total;
	}
	return seen;
}
