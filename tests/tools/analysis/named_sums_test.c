/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "named_sums.h"
#include "test.h"

TEST(equal_names_are_one_and_keep_their_bytes)
{
	static const char *const names[] = {"", "a", "\xff\n", "a", "", "\xff\n"};
	struct named_sums sums = named_sums_make(NULL, 6);
	for (uint64_t i = 0; i < 6; i++) {
		char name[8];
		snprintf(name, sizeof name, "%s", names[i]);
		named_sums_add(&sums, NAMED_SUM, name, &(struct tally_sum){.count = 1, .lost_ns = 100 * i});
	}
	tally_group(&sums.tally, TALLY_LOST);
	assert_int_equal(sums.tally.len, 3);
	static const char *const expected[] = {"\xff\n", "", "a"};
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(named_sums_name(&sums, sums.tally.rows[i]), expected[i]);
		assert_int_equal(sums.tally.rows[i]->sum.count, 2);
	}
	named_sums_fini(&sums);
}

TEST(what_has_no_name_is_no_name)
{
	struct named_sums sums = named_sums_make(NULL, 4);
	named_sums_add(&sums, NAMED_SUM_EVICTED, NULL, &(struct tally_sum){.lost_ns = 3});
	named_sums_add(&sums, NAMED_SUM, "(evicted)", &(struct tally_sum){.lost_ns = 2});
	named_sums_add(&sums, NAMED_SUM_UNKNOWN, NULL, &(struct tally_sum){.lost_ns = 1});
	tally_group(&sums.tally, TALLY_LOST);
	assert_int_equal(sums.tally.len, 3);
	assert_string_equal(named_sums_name(&sums, sums.tally.rows[0]), "(evicted)");
	assert_string_equal(named_sums_name(&sums, sums.tally.rows[1]), "(evicted)");
	assert_string_equal(named_sums_name(&sums, sums.tally.rows[2]), "unknown");
	named_sums_fini(&sums);
}

TEST(more_than_there_is_room_for_is_refused)
{
	struct named_sums sums = named_sums_make(NULL, 1);
	named_sums_add(&sums, NAMED_SUM, "a", &(struct tally_sum){.count = 1});
	named_sums_add(&sums, NAMED_SUM, "b", &(struct tally_sum){.count = 1});
	assert_int_equal(sums.tally.len, 1);
	assert_string_equal(named_sums_name(&sums, sums.tally.rows[0]), "a");
	named_sums_fini(&sums);
}
