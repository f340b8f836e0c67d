/* SPDX-License-Identifier: MIT
 * Losses by site and by thread, compared with sums that are computed naively; and losses by name. */
#include "placed.h"

#include <stdio.h>
#include <string.h>

#include "loss_sums.h"
#include "random.h"
#include "recording_sample.h"
#include "test.h"

TEST(nothing_lost_is_no_row)
{
	writer_init(&writer);
	load();
	struct tally sites = loss_sums_by_site(&recording, places, TALLY_LOST);
	assert_int_equal(sites.len, 0);
	tally_drop(&sites);
	free(loss_sums_by_thread(&recording, places, TALLY_LOST));
	unload();
}

/* The number of different known places that this place lost to. */
static size_t count_culprits(uint64_t place)
{
	bool is_met[100] = {false};
	size_t count = 0;
	for (size_t i = 0; i < recording.entry_count; i++) {
		uint32_t remote = places_innermost(places, recording.entries[i].remote);
		if (places_innermost(places, recording.entries[i].local) != place || remote < PLACE_FIRST)
			continue;
		count += !is_met[remote];
		is_met[remote] = true;
	}
	return count;
}

static void assert_site(const struct tally_row *row)
{
	uint64_t count = 0, lost_ns = 0, longest_ns = 0;
	for (size_t i = 0; i < recording.entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording.entries[i];
		if (places_innermost(places, entry->local) != row->key[0])
			continue;
		count += entry->count;
		lost_ns += entry->lost_ns;
		longest_ns = entry->longest_ns > longest_ns ? entry->longest_ns : longest_ns;
	}
	assert_int_equal(row->sum.count, count);
	assert_int_equal(row->sum.lost_ns, lost_ns);
	assert_int_equal(row->sum.longest_ns, longest_ns);
	assert_int_equal(row->parts, count_culprits(row->key[0]));
}

TEST(sites_are_what_their_entries_are_and_what_was_evicted_is_one)
{
	struct random random = {5};
	for (uint32_t round = 0; round < 60; round++) {
		uint64_t evicted = round % 3, found = 0, count = 0, all = evicted;
		write_random(&random, random_below(&random, 100));
		writer_total(&writer, UINT32_MAX, UINT32_MAX, evicted, 10 * evicted);
		load();
		struct tally sites = loss_sums_by_site(&recording, places, TALLY_COUNT);
		for (size_t i = 0; i < sites.len; i++) {
			count += sites.rows[i]->sum.count;
			if (sites.rows[i]->key[0] == LOSS_SUMS_EVICTED)
				found = sites.rows[i]->sum.count;
			else
				assert_site(sites.rows[i]);
			assert_true(i == 0 || sites.rows[i]->sum.count <= sites.rows[i - 1]->sum.count);
		}
		for (size_t i = 0; i < recording.entry_count; i++)
			all += recording.entries[i].count;
		assert_int_equal(found, evicted);
		assert_int_equal(count, all);
		tally_drop(&sites);
		unload();
	}
}

TEST(a_thread_has_lost_what_its_own_account_says)
{
	writer_init(&writer);
	struct stmlog_thread_record thread = {
		.id = 3,
		.aborted_ns = {1, 20, 300, 4000},
		.paused_ns = 50000,
		.waiting_inevitable_ns = 600000,
		.waiting_none_ns = 7000000,
		.other_ns = 80000000,
		.aborts = {1, 2, 3, 4},
		.pauses = 10,
		.waits_inevitable = 20,
		.waits_none = 40,
		.unmeasured_aborts = 100,
	};
	writer_thread(&writer, &thread);
	load();
	struct loss_sums_thread *rows = loss_sums_by_thread(&recording, places, TALLY_LOST);
	assert_int_equal(rows[0].sum.count, 40);
	assert_int_equal(rows[0].sum.lost_ns, 7654321);
	assert_int_equal(rows[0].lost.ns, 7654321);
	assert_int_equal(rows[0].lost.low_ns, rows[0].lost.high_ns);
	assert_int_equal(rows[0].place_ns, 0);
	free(rows);
	unload();
}

TEST(what_was_not_measured_is_estimated_by_thread_too)
{
	recording_sample_weighed(&writer);
	load();
	struct loss_sums_thread *rows = loss_sums_by_thread(&recording, places, TALLY_LOST);
	assert_int_equal(rows[0].thread->id, 1);
	assert_int_equal(rows[0].sum.lost_ns, 4250000);
	assert_int_equal(rows[0].lost.ns, SAMPLE_WEIGHT * 4250000);
	/* The rows of the sample's accounts err independently: their sum is known to a factor of e to the power of 0.1.
	 */
	assert_in_range(rows[0].lost.low_ns, SAMPLE_WEIGHT * 4250000 / 1.1057 - 100000,
		SAMPLE_WEIGHT * 4250000 / 1.1057 + 100000);
	assert_in_range(rows[0].lost.high_ns, SAMPLE_WEIGHT * 4250000 * 1.1057 - 100000,
		SAMPLE_WEIGHT * 4250000 * 1.1057 + 100000);
	free(rows);
	unload();
}

/* Of thread `local` because of thread `remote`. */
static void add_entry(uint32_t local, uint32_t remote, uint64_t lost_ns, uint64_t longest_ns)
{
	struct stmlog_entry_record entry = {
		.local = 1,
		.local_thread = local,
		.remote_thread = remote,
		.count = 2,
		.lost_ns = lost_ns,
		.longest_ns = longest_ns,
	};
	writer_entry(&writer, &entry);
}

TEST(entries_blame_the_thread_of_their_longest_loss_unless_it_is_the_victim)
{
	static const uint32_t ids[] = {0, 1, 4, 9};
	writer_init(&writer);
	for (size_t i = 0; i < 4; i++)
		writer_thread(&writer, &(struct stmlog_thread_record){.id = ids[i], .paused_ns = 10 - i});
	add_entry(1, 4, 100, 60);
	add_entry(9, 4, 50, 30);
	add_entry(4, 4, 40, 40);
	add_entry(1, 0, 30, 30);
	add_entry(7, 8, 20, 20); /* there is none of these */
	load();
	struct loss_sums_thread *rows = loss_sums_by_thread(&recording, places, TALLY_LOST);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(rows[i].thread->id, ids[i]);
	assert_int_equal(rows[0].led_count + rows[1].led_count + rows[3].led_count, 0);
	assert_int_equal(rows[2].led_count, 4);
	assert_int_equal(rows[2].led_ns, 150);
	assert_int_equal(rows[2].led_min_ns, 90);
	assert_int_equal(rows[0].place_ns, 0);
	assert_int_equal(rows[1].place_ns, 100);
	assert_int_equal(rows[1].place, PLACE_NO_FRAMES);
	assert_int_equal(rows[1].sum.longest_ns, 60);
	assert_int_equal(rows[2].sum.longest_ns, 40);
	free(rows);
	rows = loss_sums_by_thread(&recording, places, TALLY_LONGEST);
	assert_int_equal(rows[0].thread->id, 1);
	assert_int_equal(rows[3].thread->id, 0);
	free(rows);
	unload();
}

/* ---- by name ---- */

TEST(equal_names_are_one_and_keep_their_bytes)
{
	static const char *const names[] = {"", "a", "\xff\n", "a", "", "\xff\n"};
	OWNED(named_sums_fini) struct named_sums sums = named_sums_make(NULL, 6);
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
}

TEST(what_has_no_name_is_no_name)
{
	OWNED(named_sums_fini) struct named_sums sums = named_sums_make(NULL, 4);
	named_sums_add(&sums, NAMED_SUM_EVICTED, NULL, &(struct tally_sum){.lost_ns = 3});
	named_sums_add(&sums, NAMED_SUM, "(evicted)", &(struct tally_sum){.lost_ns = 2});
	named_sums_add(&sums, NAMED_SUM_UNKNOWN, NULL, &(struct tally_sum){.lost_ns = 1});
	tally_group(&sums.tally, TALLY_LOST);
	assert_int_equal(sums.tally.len, 3);
	assert_string_equal(named_sums_name(&sums, sums.tally.rows[0]), "(evicted)");
	assert_string_equal(named_sums_name(&sums, sums.tally.rows[1]), "(evicted)");
	assert_string_equal(named_sums_name(&sums, sums.tally.rows[2]), "unknown");
}

TEST(more_than_there_is_room_for_is_refused)
{
	OWNED(named_sums_fini) struct named_sums sums = named_sums_make(NULL, 1);
	named_sums_add(&sums, NAMED_SUM, "a", &(struct tally_sum){.count = 1});
	named_sums_add(&sums, NAMED_SUM, "b", &(struct tally_sum){.count = 1});
	assert_int_equal(sums.tally.len, 1);
	assert_string_equal(named_sums_name(&sums, sums.tally.rows[0]), "a");
}
