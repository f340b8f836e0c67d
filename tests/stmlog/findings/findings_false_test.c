/* SPDX-License-Identifier: MIT
 * False conflicts: which variables they are named by, and which are one finding. */
#include "stories.h"

static void objects_are_those_of_the_conflict(void **state)
{
	(void)state;
	made_begin(&made);
	abort_over_neighbours(ABORTS);
	const struct copied *copied = finding_of(FINDING_FALSE_SHARING);
	assert_non_null(copied);
	assert_string_equal(copied->object, "0x10000");
	assert_string_equal(copied->other, "0x10008");
	assert_null(finding_of(FINDING_LOCK_ALIAS));
	assert_null(finding_of(FINDING_HOT_WORD));
	made_begin(&made);
	abort_over_aliases(ABORTS);
	assert_null(finding_of(FINDING_FALSE_SHARING));
}

/* Of a hundred pairs of neighbours none has a tenth of the aborts. */
static void many_pairs_of_neighbours_are_one_finding(void **state)
{
	(void)state;
	made_begin(&made);
	for (uint64_t i = 0; i < 20; i++) {
		abort_over_neighbours(5);
		made.entries[i].objects[0].address += MADE_STRIPE * i;
		made.entries[i].object_others[0] += MADE_STRIPE * i;
	}
	const struct copied *copied = finding_of(FINDING_FALSE_SHARING);
	assert_non_null(copied);
	assert_string_equal(copied->where, "many pairs of variables");
	assert_int_equal(copied->finding.count, ABORTS);
	assert_string_equal(copied->share, "100 % of aborts");
}

static void pairs_of_one_stripe_are_one_finding(void **state)
{
	(void)state;
	made_begin(&made);
	abort_over_neighbours(60);
	abort_over_neighbours(40);
	made.entries[1].objects[0].address = WORD + 16;
	made.entries[1].object_others[0] = WORD + 24;
	assert_found(FINDING_FALSE_SHARING, ABORTS, ABORTS * 1000);
	assert_int_equal(causes(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_are_those_of_the_conflict),
		cmocka_unit_test(many_pairs_of_neighbours_are_one_finding),
		cmocka_unit_test(pairs_of_one_stripe_are_one_finding),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
