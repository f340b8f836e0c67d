/* SPDX-License-Identifier: MIT
 *
 * How near the first two processors are to each other: prints how many nanoseconds a cache line takes from one to the
 * other and back; 0 if it is not known. */
#include <stdio.h>

#include "processors.h"

int main(void)
{
	printf("%.0f\n", processors_line_ns());
	return 0;
}
