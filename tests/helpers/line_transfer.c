/* SPDX-License-Identifier: MIT
 *
 * How near the first two processors are to each other: prints how many nanoseconds a cache line takes from one to the
 * other and back; 0 if it is not known. */
#include <stdio.h>

#include "line_transfer.h"

int main(void)
{
	printf("%.0f\n", line_transfer_ns());
	return 0;
}
