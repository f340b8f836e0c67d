/* SPDX-License-Identifier: MIT */
#include "loaded.h"

#include <inttypes.h>

#include <stmlog/read.h>

#include "own_module.h"
#include "text_has.h"

#define BLOCK 0x70001000u
#define FREED_BLOCK 0x70002000u

/* Neighbours that symbol tables name: one stripe holds the first four. */
extern uint64_t objects_test_tallies[64];
_Alignas(64) uint64_t objects_test_tallies[64];

static struct writer writer;

static const struct report_options plain = {.top = REPORT_TOP_DEFAULT};

static uint64_t tally(size_t i)
{
	return (uintptr_t)&objects_test_tallies[i];
}

/* A recording of this program and its blocks, without entries. */
static void begin(uint64_t stripe_bytes)
{
	char line[64];
	struct stmlog_module_record module = own_module();
	writer_init(&writer);
	writer_info(&writer, "runtime=libitm");
	snprintf(line, sizeof line, "stripe_bytes=%" PRIu64, stripe_bytes);
	writer_info(&writer, line);
	module.path = writer_string(&writer, own_module_path());
	writer_module(&writer, &module);
	uint32_t make = writer_place(&writer, "make_node", "src/list.c", 33);
	uint32_t build = writer_place(&writer, "build", "src/list.c", 50);
	uint32_t grow =
		writer_place(&writer, "std::vector<int>::push_back", "/usr/include/c++/12/bits/stl_vector.h", 9);
	uint32_t deep[] = {grow, grow, make, build, build, build};
	struct stmlog_block_record node = {BLOCK, 64, writer_traceback(&writer, (uint32_t[]){make, build}, 2, 0), 0};
	struct stmlog_block_record freed = {
		FREED_BLOCK, 100, writer_traceback(&writer, deep, 6, 0), STMLOG_BLOCK_FREED};
	writer_block(&writer, &node);
	writer_block(&writer, &freed);
}

static struct stmlog_entry_record entry_of(uint64_t count, uint64_t false_conflicts, uint64_t false_aliases)
{
	return (struct stmlog_entry_record){
		.reason = STMLOG_SELF_ABORT,
		.contention = STMLOG_WRITE_WRITE,
		.count = count,
		.lost_ns = 10 * count,
		.false_conflicts = false_conflicts,
		.false_aliases = false_aliases,
	};
}

/* The text of a report on one entry; the caller frees it. */
static char *text_with(struct report_options options, const struct stmlog_entry_record *entry)
{
	OWNED(recording_fini) struct recording recording;
	writer_entry(&writer, entry);
	writer_total(&writer, entry->reason, entry->contention, entry->count, entry->lost_ns);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	char *text = printed_report(&recording, options, report_text);
	return text;
}

static void expect_in(char *text, const char *words)
{
	assert_has(text, words);
	free(text);
}

static void expect(const struct stmlog_entry_record *entry, const char *words)
{
	expect_in(text_with(plain, entry), words);
}

static void expect_at(uint64_t stripe_bytes, const struct stmlog_entry_record *entry, const char *words)
{
	begin(stripe_bytes);
	expect_in(text_with(plain, entry), words);
}

static void refuse_at(uint64_t stripe_bytes, const struct stmlog_entry_record *entry, const char *words)
{
	begin(stripe_bytes);
	OWNED(owned_free) char *text = text_with(plain, entry);
	assert_has_not(text, words);
}

static void meet(struct stmlog_entry_record *entry, size_t i, uint64_t address, uint64_t count, uint64_t other)
{
	entry->objects[i].address = address;
	entry->objects[i].count = count;
	entry->object_others[i] = other;
}

TEST(without_objects_nothing_is_said)
{
	struct stmlog_entry_record entry = entry_of(10, 0, 0);
	refuse_at(32, &entry, "     object");
	refuse_at(32, &entry, "     false");
}

TEST(an_object_is_told_by_the_best_name_it_has)
{
	struct stmlog_entry_record entry = entry_of(10, 0, 0);
	entry.objects[0].count = 10;
	entry.objects[0].address = tally(2);
	begin(32);
	entry.object_names[0] = writer_string(&writer, "given");
	expect(&entry, "     object      given (at least 10 times)\n");
	begin(32);
	entry.object_names[0] = 0;
	expect(&entry, "     object      objects_test_tallies[2] (at least 10 times)\n");
	entry.objects[0].address = BLOCK + 16;
	expect_at(32, &entry,
		"     object      block of 64 bytes +16, allocated at make_node list.c:33 < build list.c:50 (at");
	entry.objects[0].address = BLOCK + 64;
	expect_at(32, &entry, "     object      0x70001040 (stripe 0x70001040) (at least 10 times)\n");
	entry.objects[0].address = BLOCK - 1;
	expect_at(0, &entry, "     object      0x70000fff (cache line 0x70000fc0) (at least 10 times)\n");
}

TEST(an_allocation_begins_where_the_program_asks_for_it)
{
	struct stmlog_entry_record entry = entry_of(1, 0, 0);
	struct report_options full = {.top = 1, .is_full = true};
	meet(&entry, 0, FREED_BLOCK + 99, 1, 0);
	expect_at(32, &entry,
		"     object      freed block of 100 bytes +99, allocated at "
		"make_node list.c:33 < build list.c:50 < build list.c:50 (at least 1 time)\n");
	begin(32);
	expect_in(text_with(full, &entry), "allocated at make_node src/list.c:33 < build src/list.c:50 < build "
					   "src/list.c:50 < build src/list.c:50 (at");
}

TEST(a_block_of_unknown_origin_is_its_size)
{
	struct stmlog_entry_record entry = entry_of(1, 0, 0);
	struct stmlog_block_record block = {.address = FREED_BLOCK + 0x1000, .size = 8};
	meet(&entry, 0, block.address, 1, 0);
	begin(32);
	writer_block(&writer, &block);
	expect(&entry, "     object      block of 8 bytes +0 (at least 1 time)\n");
}

TEST(an_object_that_met_several_others_stands_there_once)
{
	struct stmlog_entry_record entry = entry_of(10, 0, 0);
	for (size_t i = 0; i < 3; i++) {
		entry.objects[i].address = tally(i == 1 ? 3 : 0);
		entry.objects[i].count = 3 - i;
		entry.object_others[i] = tally(i);
	}
	expect_at(32, &entry,
		"     object      objects_test_tallies[0] (at least 4 times), objects_test_tallies[3] (at least 2 "
		"times)\n");
}

TEST(neighbours_in_one_stripe_are_told_with_both_names)
{
	struct stmlog_entry_record entry = entry_of(1000, 421, 0);
	meet(&entry, 0, tally(0), 500, 0);
	meet(&entry, 1, tally(0), 400, tally(2));
	expect_at(32, &entry,
		"     false       42.1 % of these aborts touch different variables in one 32-byte stripe: "
		"objects_test_tallies[0] and objects_test_tallies[2]; pad or align\n");
	expect_at(0, &entry, "touch different variables that are locked as one: objects_test_tallies[0] and");
	refuse_at(32, &entry, "far apart");
}

TEST(aliases_are_told_with_both_names)
{
	struct stmlog_entry_record entry = entry_of(4, 4, 4);
	meet(&entry, 0, BLOCK, 4, tally(1));
	expect_at(32, &entry,
		"     false       100.0 % of these aborts touch two variables far apart that share one of libitm's "
		"locks: block of 64 bytes +0, allocated at make_node list.c:33 < build list.c:50 and "
		"objects_test_tallies[1]; moving either one helps\n");
	refuse_at(32, &entry, "32-byte stripe");
}

TEST(each_kind_has_the_pair_that_is_of_it)
{
	struct stmlog_entry_record entry = entry_of(4, 4, 1);
	meet(&entry, 0, tally(0), 1, tally(4));
	meet(&entry, 1, tally(5), 1, tally(7));
	expect_at(32, &entry,
		"75.0 % of these aborts touch different variables in one 32-byte stripe: "
		"objects_test_tallies[5] and objects_test_tallies[7]; pad or align\n");
	expect_at(32, &entry,
		"25.0 % of these aborts touch two variables far apart that share one of libitm's locks: "
		"objects_test_tallies[0] and objects_test_tallies[4]; moving either one helps\n");
}

TEST(pauses_are_not_called_aborts)
{
	struct stmlog_entry_record entry = entry_of(4, 1, 0);
	entry.reason = STMLOG_PAUSE;
	expect_at(64, &entry, "25.0 % of these pauses touch different variables in one 64-byte stripe; pad or align\n");
}

/* More of a kind than of the whole, as only a damaged recording has it. */
TEST(impossible_counts_are_survived)
{
	struct stmlog_entry_record entry = entry_of(1, 1, 5);
	meet(&entry, 0, UINT64_MAX, UINT64_MAX, 1);
	expect_at(UINT64_MAX, &entry, "far apart");
}

TEST(some_certain_ones_among_others_are_told_as_a_share)
{
	struct stmlog_entry_record entry = entry_of(1000, 0, 0);
	entry.remote_thread = 2;
	entry.grade = STMLOG_GRADE_CANDIDATE;
	entry.certain = 972;
	expect_at(32, &entry, "     blocked by  thread 2, certain 97.2 %\n");
	begin(32);
	entry.certain = 0;
	expect(&entry, "     blocked by  thread 2, candidate\n");
	begin(32);
	entry.certain = 1000;
	entry.grade = STMLOG_GRADE_CERTAIN;
	expect(&entry, "     blocked by  thread 2, certain\n");
}
