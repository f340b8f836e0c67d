/* SPDX-License-Identifier: MIT */
#include "placed.h"

#include "transactions.h"

static struct transactions all;

static void load_sorted(enum tally_sort sort)
{
	load();
	all = transactions_make(&recording, places, sort);
}

static void unload_all(void)
{
	transactions_fini(&all);
	unload();
}

/* Of f at the line; 0: of no site. */
static void add(uint32_t line, uint64_t attempts, uint64_t lost_ns, uint64_t longest_ns)
{
	struct stmlog_transaction_record record = {
		.site = line != 0 ? writer_place(&writer, "f", "a.c", line) : STMLOG_NO_SITE,
		.commits = 1,
		.attempts = attempts,
		.lost_ns = lost_ns,
		.max_attempts = attempts,
		.longest_ns = longest_ns,
	};
	record.by_attempts[attempts]++;
	record.by_lost_ns[longest_ns]++;
	writer_transaction(&writer, &record);
}

TEST(none_are_none)
{
	writer_init(&writer);
	load_sorted(TALLY_LOST);
	assert_int_equal(all.len, 0);
	unload_all();
}

TEST(sites_of_one_name_are_one)
{
	writer_init(&writer);
	add(7, 2, 5, 5);
	add(0, 1, 0, 0);
	add(7, 6, 3, 3);
	add(0, 3, 4, 4);
	load_sorted(TALLY_LOST);
	assert_int_equal(all.len, 2);
	assert_string_equal(places_frame(places, all.rows[0].place)->function, "f");
	const struct stmlog_transaction_record *one = &all.rows[0].record;
	assert_int_equal(one->commits, 2);
	assert_int_equal(one->attempts, 8);
	assert_int_equal(one->lost_ns, 8);
	assert_int_equal(one->max_attempts, 6);
	assert_int_equal(one->longest_ns, 5);
	assert_int_equal(one->by_attempts[2] + one->by_attempts[6], 2);
	assert_int_equal(one->by_lost_ns[5] + one->by_lost_ns[3], 2);
	assert_int_equal(all.rows[1].place, PLACE_UNKNOWN);
	assert_int_equal(all.rows[1].record.commits, 2);
	unload_all();
}

TEST(each_order_has_its_first_and_equals_stay)
{
	static const uint32_t lines[][4] = {{3, 1, 2, 4}, {2, 1, 3, 4}, {1, 3, 2, 4}};
	for (size_t sort = 0; sort < 3; sort++) {
		writer_init(&writer);
		add(1, 2, 5, 7);
		add(2, 6, 5, 5);
		add(3, 1, 6, 6);
		add(4, 1, 0, 0);
		load_sorted((enum tally_sort)sort);
		for (size_t i = 0; i < 4; i++)
			assert_int_equal(places_frame(places, all.rows[i].place)->line, lines[sort][i]);
		unload_all();
	}
}

TEST(a_summary_is_of_the_one_distribution_and_of_the_other)
{
	struct stmlog_transaction_record record = {.max_attempts = 90, .longest_ns = 80};
	record.by_attempts[3] = 99;
	record.by_attempts[7] = 1;
	record.by_lost_ns[5] = 49;
	record.by_lost_ns[6] = 50;
	record.by_lost_ns[8] = 1;
	struct transactions_summary attempts = transactions_attempts(&record), lost = transactions_lost_ns(&record);
	assert_int_equal(attempts.median, 3);
	assert_int_equal(attempts.p99, 3);
	assert_int_equal(attempts.max, 90);
	assert_int_equal(lost.median, 6);
	assert_int_equal(lost.p99, 6);
	assert_int_equal(lost.max, 80);
	record.by_lost_ns[5] = 48;
	record.by_lost_ns[8] = 2;
	assert_int_equal(transactions_lost_ns(&record).p99, 9);
}
