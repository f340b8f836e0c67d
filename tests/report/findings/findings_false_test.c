/* SPDX-License-Identifier: MIT
 * False conflicts: which variables they are named by, and which are one finding. */
#include "stories.h"

TEST(objects_are_those_of_the_conflict)
{
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
TEST(many_pairs_of_neighbours_are_one_finding)
{
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

TEST(pairs_of_one_stripe_are_one_finding)
{
	made_begin(&made);
	abort_over_neighbours(60);
	abort_over_neighbours(40);
	made.entries[1].objects[0].address = WORD + 16;
	made.entries[1].object_others[0] = WORD + 24;
	assert_found(FINDING_FALSE_SHARING, ABORTS, ABORTS * ABORT_NS);
	assert_int_equal(causes(), 1);
}

/* The costlier loss does not know its culprit, the other one does. */
TEST(the_culprit_is_accused_and_no_victim)
{
	for (uint64_t pairs = 1; pairs <= 12; pairs += 11) {
		made_begin(&made);
		for (uint64_t i = 0; i < pairs; i++) {
			abort_over_neighbours(60 / pairs);
			abort_over_neighbours(40 / pairs);
			struct stmlog_entry_record *two = &made.entries[2 * i];
			two[0].remote = 0;
			for (int k = 0; k < 2; k++) {
				two[k].objects[0].address += MADE_STRIPE * i;
				two[k].object_others[0] += MADE_STRIPE * i;
			}
		}
		const struct copied *copied = finding_of(FINDING_FALSE_SHARING);
		assert_non_null(copied);
		assert_string_equal(copied->because, "a.c:41 give");
		made_begin(&made);
		abort_over_neighbours(ABORTS);
		made.entries[0].remote = 0;
		assert_string_equal(finding_of(FINDING_FALSE_SHARING)->because, "");
	}
}
