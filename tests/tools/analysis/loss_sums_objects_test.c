/* SPDX-License-Identifier: MIT
 * What was fought over: whatever an entry says of its objects, nothing of it is lost or told twice. */
#include "loaded.h"

#include <stmlog/read.h>

#include "loss_sums.h"
#include "random.h"
#include "report.h"

static struct writer writer;
static struct recording recording;
static struct symbols *symbols;
static struct named_sums sums;

static void begin(void)
{
	writer_init(&writer);
}

static void load(enum tally_sort sort)
{
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	symbols = symbols_create(&recording);
	struct report report = {.recording = &recording, .symbols = symbols, .options = {.sort = sort}};
	sums = object_sums(&report);
}

static void load_all(void)
{
	load(TALLY_LOST);
}

static void unload(void)
{
	named_sums_fini(&sums);
	symbols_destroy(&symbols);
	recording_fini(&recording);
}

static void expect(size_t i, const char *name, uint64_t count, uint64_t lost_ns, uint64_t false_conflicts)
{
	assert_true(i < sums.tally.len);
	const struct tally_row *row = sums.tally.rows[i];
	assert_string_equal(named_sums_name(&sums, row), name);
	assert_int_equal(row->sum.count, count);
	assert_int_equal(row->sum.lost_ns, lost_ns);
	assert_int_equal(row->sum.false_conflicts, false_conflicts);
}

TEST(nothing_lost_is_over_nothing)
{
	begin();
	load_all();
	assert_int_equal(sums.tally.len, 0);
	unload();
}

TEST(time_is_shared_out_by_counts_and_the_rest_is_unknown)
{
	begin();
	struct stmlog_entry_record entry = {.count = 10,
		.lost_ns = 1000,
		.longest_ns = 300,
		.objects = {{64, 5}, {128, 3}},
		.object_names = {writer_string(&writer, "five"), writer_string(&writer, "three")}};
	writer_entry(&writer, &entry);
	writer_entry(&writer, &(struct stmlog_entry_record){.count = 4, .lost_ns = 40});
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 7, 70);
	load(TALLY_LOST);
	assert_int_equal(sums.tally.len, 4);
	expect(0, "five", 5, 500, 0);
	expect(1, "three", 3, 300, 0);
	expect(2, "unknown", 6, 240, 0);
	expect(3, "(evicted)", 7, 70, 0);
	assert_int_equal(sums.tally.rows[1]->sum.longest_ns, 300);
	unload();
}

TEST(estimates_and_their_variances_are_shared_out_likewise)
{
	begin();
	writer_info(&writer, "sampled=1");
	struct stmlog_entry_record entry = {.count = 8,
		.lost_ns = 1000,
		.estimated_ns = 9000,
		.variance_ns2 = 640,
		.objects = {{64, 2}, {128, 4}},
		.object_names = {writer_string(&writer, "two"), writer_string(&writer, "four")}};
	writer_entry(&writer, &entry);
	load_all();
	static const double shares[] = {0.5, 0.25, 0.25};
	for (size_t i = 0; i < 3; i++) {
		assert_true(sums.tally.rows[i]->sum.surplus_ns == 8000 * shares[i]);
		assert_true(sums.tally.rows[i]->sum.variance_ns2 == 640 * shares[i]);
	}
	expect(0, "four", 4, 500, 0);
	unload();
}

TEST(an_object_named_like_what_has_none_is_another_row)
{
	begin();
	struct stmlog_entry_record entry = {
		.count = 3, .lost_ns = 30, .objects = {{64, 2}}, .object_names = {writer_string(&writer, "unknown")}};
	writer_entry(&writer, &entry);
	load_all();
	assert_int_equal(sums.tally.len, 2);
	expect(0, "unknown", 2, 20, 0);
	expect(1, "unknown", 1, 10, 0);
	unload();
}

TEST(an_object_that_met_several_others_is_one)
{
	begin();
	struct stmlog_entry_record entry = {.count = 6,
		.lost_ns = 60,
		.objects = {{64, 3}, {128, 1}, {64, 2}},
		.object_others = {0, 136, 72},
		.false_conflicts = 3,
		.object_names = {writer_string(&writer, "x"), writer_string(&writer, "y")}};
	writer_entry(&writer, &entry);
	load_all();
	assert_int_equal(sums.tally.len, 2);
	expect(0, "x", 5, 50, 2);
	expect(1, "y", 1, 10, 1);
	unload();
}

/* What is false of no other that is known is of the rest first, and then of what there is. */
TEST(each_false_conflict_has_a_place)
{
	for (uint64_t rest = 0; rest <= 4; rest++) {
		begin();
		struct stmlog_entry_record entry = {.count = 4 + rest,
			.lost_ns = 10 * (4 + rest),
			.objects = {{64, 3}, {128, 1}},
			.object_others = {0, 136},
			.false_conflicts = 3,
			.object_names = {writer_string(&writer, "x"), writer_string(&writer, "y")}};
		writer_entry(&writer, &entry);
		load_all();
		uint64_t unknown = 0, found[2] = {0, 0};
		for (size_t i = 0; i < sums.tally.len; i++) {
			const struct tally_row *row = sums.tally.rows[i];
			bool is_x = strcmp(named_sums_name(&sums, row), "x") == 0;
			if (row->key[0] == NAMED_SUM_UNKNOWN)
				unknown = row->sum.false_conflicts;
			else
				found[is_x ? 0 : 1] = row->sum.false_conflicts;
		}
		assert_int_equal(found[1], 1);
		assert_int_equal(unknown, rest < 2 ? rest : 2);
		assert_int_equal(found[0], 2 - unknown);
		unload();
	}
}

TEST(blocks_of_one_allocation_are_one)
{
	begin();
	uint32_t site = writer_place(&writer, "make", "m.c", 3), other = writer_place(&writer, "make", "m.c", 4);
	uint32_t traceback = writer_traceback(&writer, &site, 1, 0);
	writer_block(&writer, &(struct stmlog_block_record){.address = 64, .size = 16, .traceback = traceback});
	writer_block(
		&writer, &(struct stmlog_block_record){.address = 128, .size = 32, .traceback = traceback, .flags = 1});
	writer_block(
		&writer, &(struct stmlog_block_record){
				 .address = 256, .size = 16, .traceback = writer_traceback(&writer, &other, 1, 0)});
	writer_block(&writer, &(struct stmlog_block_record){.address = 512, .size = 16});
	struct stmlog_entry_record entry = {
		.count = 10, .lost_ns = 100, .objects = {{72, 4}, {129, 3}, {256, 2}, {513, 1}}};
	writer_entry(&writer, &entry);
	load_all();
	assert_int_equal(sums.tally.len, 3);
	expect(0, "blocks allocated at make m.c:3", 7, 70, 0);
	expect(1, "blocks allocated at make m.c:4", 2, 20, 0);
	expect(2, "blocks of 16 bytes", 1, 10, 0);
	unload();
}

/* Slots that count more than the entry, entries that count nothing, sums as large as can be. */
static void write_random(struct random *random, uint32_t entries)
{
	static const uint64_t values[] = {0, 1, 2, 3, 7, 100, UINT32_MAX, UINT64_MAX / 4096, UINT64_MAX};
	for (uint32_t i = 0; i < entries; i++) {
		struct stmlog_entry_record entry = {.contention = random_below(random, STMLOG_CONTENTIONS)};
		entry.count = values[random_below(random, 8)];
		entry.lost_ns = values[random_below(random, 8)];
		entry.wasted_ns = values[random_below(random, 8)];
		entry.false_conflicts = values[random_below(random, 9)];
		for (size_t k = 0; k < 4; k++) {
			entry.objects[k].address = 64 * random_below(random, 3);
			entry.objects[k].count = values[random_below(random, 9)];
			entry.object_others[k] = random_below(random, 2);
		}
		writer_entry(&writer, &entry);
	}
}

TEST(sums_are_those_of_the_entries_whatever_these_say)
{
	struct random random = {11};
	for (int round = 0; round < 200; round++) {
		uint64_t count = 0, lost_ns = 0, wasted_ns = 0, falses = 0;
		begin();
		write_random(&random, random_below(&random, 30));
		load_all();
		for (size_t i = 0; i < sums.tally.len; i++) {
			const struct tally_sum *sum = &sums.tally.rows[i]->sum;
			assert_true(sum->false_conflicts <= sum->count);
			count += sum->count;
			lost_ns += sum->lost_ns;
			wasted_ns += sum->wasted_ns;
			falses += sum->false_conflicts;
		}
		for (size_t i = 0; i < recording.entry_count; i++) {
			const struct stmlog_entry_record *entry = &recording.entries[i];
			count -= entry->count;
			lost_ns -= entry->lost_ns;
			wasted_ns -= entry->wasted_ns;
			falses -= entry->false_conflicts < entry->count ? entry->false_conflicts : entry->count;
		}
		assert_int_equal(count, 0);
		assert_int_equal(lost_ns, 0);
		assert_int_equal(wasted_ns, 0);
		assert_int_equal(falses, 0);
		unload();
	}
}
