/* SPDX-License-Identifier: MIT
 * Who lost to whom, against sums made one by one. */
#include "placed.h"

#include "random.h"
#include "recording_sample.h"

static struct tally_sum sum_of(const struct tally *tally)
{
	struct tally_sum sum = {.count = 0};
	for (size_t i = 0; i < tally->len; i++) {
		sum.count += tally->rows[i]->sum.count;
		sum.lost_ns += tally->rows[i]->sum.lost_ns;
		sum.wasted += tally->rows[i]->sum.wasted;
		sum.wasted_ns += tally->rows[i]->sum.wasted_ns;
	}
	return sum;
}

/* Of the entries in which another transaction had part. */
static struct tally_sum sum_of_entries(void)
{
	struct tally_sum sum = {.count = 0};
	for (size_t i = 0; i < recording.entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording.entries[i];
		if (entry->contention == STMLOG_NONE)
			continue;
		sum.count += entry->count;
		sum.lost_ns += entry->lost_ns;
		sum.wasted += entry->wasted;
		sum.wasted_ns += entry->wasted_ns;
	}
	return sum;
}

static void assert_sums_are_the_entries(const struct tally *tally)
{
	struct tally_sum expected = sum_of_entries(), sum = sum_of(tally);
	assert_memory_equal(&sum, &expected, sizeof sum);
}

TEST(nothing_lost_blames_nobody)
{
	writer_init(&writer);
	load();
	struct tally pairs = blame_pairs(&recording, places, TALLY_LOST);
	struct tally aggressors = blame_aggressors(&recording, places, TALLY_LOST);
	assert_int_equal(pairs.len, 0);
	assert_int_equal(aggressors.len, 0);
	tally_drop(&pairs);
	tally_drop(&aggressors);
	unload();
}

TEST(what_nobody_else_had_part_in_is_left_out_and_the_unknown_is_in)
{
	recording_sample(&writer);
	load();
	struct tally pairs = blame_pairs(&recording, places, TALLY_LOST);
	assert_int_equal(pairs.len, 4);
	assert_sums_are_the_entries(&pairs);
	assert_int_equal(pairs.rows[0]->sum.lost_ns, 4000000);
	assert_int_equal(pairs.rows[0]->key[1], PLACE_UNKNOWN);
	assert_int_equal(pairs.rows[2]->key[0], PLACE_NO_FRAMES);
	assert_int_equal(pairs.rows[1]->sum.wasted, 12);
	assert_int_equal(pairs.rows[1]->sum.wasted_ns, 300000);
	tally_drop(&pairs);
	unload();
}

/* One write in `culprit`, to which places of `victims` different names lose, the first of them at two addresses and
 * by two causes. */
static uint32_t write_victims(uint32_t victims)
{
	writer_init(&writer);
	uint32_t site = writer_place(&writer, "culprit", "a.c", 1);
	uint32_t culprit = writer_traceback(&writer, &site, 1, 0);
	for (uint32_t i = 0; i <= victims; i++) {
		site = writer_place(&writer, "victim", "a.c", i > 0 ? i : 1);
		struct stmlog_entry_record entry = {
			.reason = i > 0 ? STMLOG_SELF_ABORT : STMLOG_PAUSE,
			.local = writer_traceback(&writer, &site, 1, 0),
			.remote = culprit,
			.count = 2,
			.lost_ns = 10,
			.longest_ns = 6 + i,
		};
		writer_entry(&writer, &entry);
	}
	return culprit;
}

TEST(each_victim_of_one_write_counts)
{
	for (uint32_t victims = 1; victims <= 9; victims += 4) {
		uint32_t culprit = write_victims(victims);
		load();
		struct tally aggressors = blame_aggressors(&recording, places, TALLY_LOST);
		assert_int_equal(aggressors.len, 1);
		assert_int_equal(aggressors.rows[0]->key[0], culprit);
		assert_int_equal(aggressors.rows[0]->parts, victims);
		assert_int_equal(aggressors.rows[0]->sum.count, 2 * (victims + 1));
		assert_int_equal(aggressors.rows[0]->sum.lost_ns, 10 * (victims + 1));
		assert_int_equal(aggressors.rows[0]->sum.longest_ns, 6 + victims);
		struct tally pairs = blame_pairs(&recording, places, TALLY_LOST);
		assert_int_equal(pairs.len, victims);
		assert_int_equal(pairs.rows[0]->sum.lost_ns, 20);
		tally_drop(&pairs);
		tally_drop(&aggressors);
		unload();
	}
}

TEST(one_place_reached_by_two_ways_is_one_pair_and_two_aggressors)
{
	recording_sample(&writer);
	uint32_t sites[] = {writer_place(&writer, "transfer", "bench/bank.c", 61), 1, 1};
	uint32_t first = writer_traceback(&writer, sites, 2, 0), second = writer_traceback(&writer, sites, 3, 0);
	writer_entry(&writer, &(struct stmlog_entry_record){.remote = first, .count = 1, .lost_ns = 6});
	writer_entry(&writer, &(struct stmlog_entry_record){.remote = second, .count = 1, .lost_ns = 3});
	load();
	struct tally pairs = blame_pairs(&recording, places, TALLY_LOST);
	struct tally aggressors = blame_aggressors(&recording, places, TALLY_LOST);
	assert_int_equal(pairs.len, 5);
	assert_int_equal(pairs.rows[4]->sum.lost_ns, 9);
	assert_int_equal(pairs.rows[4]->key[1], pairs.rows[1]->key[1]);
	assert_int_equal(aggressors.len, 5);
	tally_drop(&pairs);
	tally_drop(&aggressors);
	unload();
}

static bool is_of(const struct stmlog_entry_record *entry, const struct tally_row *pair)
{
	return entry->contention != STMLOG_NONE && places_innermost(places, entry->local) == pair->key[0] &&
	       places_innermost(places, entry->remote) == pair->key[1];
}

static void assert_pair(const struct tally_row *pair)
{
	uint64_t count = 0, lost_ns = 0, longest_ns = 0;
	for (size_t i = 0; i < recording.entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording.entries[i];
		if (!is_of(entry, pair))
			continue;
		count += entry->count;
		lost_ns += entry->lost_ns;
		longest_ns = entry->longest_ns > longest_ns ? entry->longest_ns : longest_ns;
	}
	assert_int_equal(pair->sum.count, count);
	assert_int_equal(pair->sum.lost_ns, lost_ns);
	assert_int_equal(pair->sum.longest_ns, longest_ns);
}

TEST(pairs_and_aggressors_add_up_to_the_entries_whatever_these_are)
{
	struct random random = {42};
	for (int round = 0; round < 30; round++) {
		write_random(&random, 1 + random_below(&random, 300));
		load();
		struct tally pairs = blame_pairs(&recording, places, TALLY_COUNT);
		struct tally aggressors = blame_aggressors(&recording, places, TALLY_LONGEST);
		assert_sums_are_the_entries(&pairs);
		assert_sums_are_the_entries(&aggressors);
		size_t met = 0;
		for (size_t i = 0; i < pairs.len; i++) {
			assert_pair(pairs.rows[i]);
			assert_true(i == 0 || pairs.rows[i]->sum.count <= pairs.rows[i - 1]->sum.count);
			met += pairs.rows[i]->parts;
		}
		size_t blamed = 0;
		for (size_t i = 0; i < recording.entry_count; i++)
			blamed += recording.entries[i].contention != STMLOG_NONE;
		assert_int_equal(met, blamed);
		tally_drop(&pairs);
		tally_drop(&aggressors);
		unload();
	}
}
