/* SPDX-License-Identifier: MIT
 * Objects in the file: their names, and the blocks of memory that they lie in. */
#include "written_file.h"

TEST_WITH(session_fixture, objects_have_the_names_that_the_runtime_has_for_them)
{
	for (int i = 0; i < 3; i++)
		lose_over(ACCOUNTS + 16);
	lose_over(ACCOUNTS);
	lose_over(ACCOUNTS_END);
	make_file();
	struct stmlog_entry_record record = entry_record(0);
	assert_int_equal(record.count, 5);
	for (size_t i = 0; i < STMLOG_OBJECTS; i++) {
		const char *name = record.objects[i].address == ACCOUNTS + 16 ? "accounts+16"
				   : record.objects[i].address == ACCOUNTS    ? "accounts+0"
									      : "";
		assert_string_equal(string(record.object_names[i]), name);
	}
	assert_int_equal(record.objects[0].address, ACCOUNTS + 16);
}

TEST_WITH(session_fixture, an_entry_without_an_object_has_no_name)
{
	lose_over(0);
	make_file();
	for (size_t i = 0; i < STMLOG_OBJECTS; i++)
		assert_int_equal(entry_record(0).object_names[i], 0);
}

TEST_WITH(session_fixture, a_name_without_an_end_is_cut)
{
	lose_over(ENDLESS);
	make_file();
	assert_int_equal(strspn(string(entry_record(0).object_names[0]), "x"), 127);
	assert_int_equal(strlen(string(entry_record(0).object_names[0])), 127);
}

static struct stmlog_block_record block_record(size_t i)
{
	struct stmlog_section_header header;
	struct stmlog_block_record record;
	const char *records = section(STMLOG_SECTION_BLOCKS, &header);
	assert_int_equal(header.record_size, sizeof record);
	assert_true(header.length >= (i + 1) * sizeof record);
	memcpy(&record, records + i * sizeof record, sizeof record);
	return record;
}

static size_t block_count(void)
{
	return records_of(STMLOG_SECTION_BLOCKS, sizeof(struct stmlog_block_record));
}

/* The flags of a block's traceback, which has two sites. */
static uint32_t traceback_flags(uint32_t reference)
{
	struct stmlog_section_header header;
	const uint32_t *words = (const void *)section(STMLOG_SECTION_TRACEBACKS, &header);
	for (uint32_t i = 2; i < reference; i++)
		words += 2 + words[0];
	assert_int_equal(words[0], 2);
	return words[1];
}

TEST_WITH(session_fixture, blocks_of_both_objects_are_there_once_each_and_in_order)
{
	lose_over_pair(FREED_NODE + NODE_SIZE - 1, NODE);
	lose_over_pair(NODE + 8, NODE + NODE_SIZE - 1);
	make_file();
	assert_int_equal(block_count(), 2);
	struct stmlog_block_record first = block_record(0), second = block_record(1);
	assert_true(first.address == NODE && first.size == NODE_SIZE && first.flags == 0);
	assert_true(second.address == FREED_NODE && second.flags == STMLOG_BLOCK_FREED);
	assert_int_equal(traceback_flags(first.traceback), 0);
	assert_int_equal(traceback_flags(second.traceback), STMLOG_TRACEBACK_CUT);
}

TEST_WITH(session_fixture, what_lies_in_no_block_or_has_a_name_of_its_own_gets_none)
{
	lose_over_pair(NODE - 1, IMPOSSIBLE_NODE);
	lose_over_pair(ACCOUNTS, 0);
	lose_over(0);
	make_file();
	assert_int_equal(block_count(), 0);
}
