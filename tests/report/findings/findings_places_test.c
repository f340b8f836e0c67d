/* SPDX-License-Identifier: MIT
 * When two places are a pair. */
#include "stories.h"

TEST(one_direction_and_a_third_place_are_no_pair)
{
	for (int i = 0; i < 3; i++) {
		made_begin(&made);
		abort_each_other(ABORTS);
		if (i == 1)
			made.entries[1].count = 8; /* of 98: less than a tenth */
		if (i == 2) {
			struct stmlog_entry_record *entry = abort_over_data(11); /* of 101 of this place */
			entry->site = made.entries[0].site;
			entry->remote = at("third", 70);
		}
		assert_true((finding_of(FINDING_MUTUAL_PAIR) != NULL) == (i == 0));
	}
}

TEST(aborts_because_of_unknown_transactions_do_not_part_a_pair)
{
	made_begin(&made);
	abort_each_other(ABORTS);
	abort_over_data(ABORTS)->site = made.entries[0].site;
	assert_found(FINDING_MUTUAL_PAIR, ABORTS, ABORTS * ABORT_NS);
}
