/* SPDX-License-Identifier: MIT
 * What real mendings leave. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mendings.h"

static void the_lower_end_leaves_a_fiftieth_of_the_time_of_a_commit(void **state)
{
	(void)state;
	assert_true(fabs(mendings_low(50) - 25) < 1e-9);
	assert_true(fabs(mendings_low(1) - 1 / 1.02) < 1e-9);
	assert_true(fabs(mendings_low(0) - 0) < 1e-9);
	assert_true(mendings_low(1e12) <= 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_lower_end_leaves_a_fiftieth_of_the_time_of_a_commit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
