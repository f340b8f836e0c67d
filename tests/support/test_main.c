/* SPDX-License-Identifier: MIT
 * The main function of the unit tests, but for those that read their arguments and have one of their own. */
#include "test.h"

int main(void)
{
	return test_run();
}
