/* SPDX-License-Identifier: MIT
 * Reading a file of recorded transactions; which damage is refused is in tests/libitm/replay.sh. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorded.h"
#include "temp_dir.h"
#include "test.h"

enum { NO_CANCEL = 9 };

static const struct stmlog_access_record whole[] = {
	{.kind = STMLOG_ACCESS_THREAD, .address = 7},
	{.kind = STMLOG_ACCESS_BEGIN, .size = NO_CANCEL, .gap_ns = -1},
	{.kind = STMLOG_ACCESS_WRITE, .address = 0x1000, .size = 8},
	{.kind = STMLOG_ACCESS_ALONE},
	{.kind = STMLOG_ACCESS_COMMIT},
	{.kind = STMLOG_ACCESS_BEGIN},
	{.kind = STMLOG_ACCESS_CANCEL},
	{.kind = STMLOG_ACCESS_THREAD},
	{.kind = STMLOG_ACCESS_BEGIN},
	{.kind = STMLOG_ACCESS_READ, .address = UINT64_MAX - 2, .size = 2},
	{.kind = STMLOG_ACCESS_COMMIT},
};
enum { RECORDS = sizeof whole / sizeof *whole, SECOND_STREAM = 7 };

static struct recorded recorded;
static struct recorded_fault fault;

static bool read_bytes(const void *bytes, size_t len)
{
	const char *path = temp_dir_path("accesses");
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
	return recorded_read(&recorded, path, &fault);
}

TEST(streams_are_found_without_the_records_that_begin_them)
{
	assert_true(read_bytes(whole, sizeof whole));
	assert_int_equal(recorded.count, RECORDS);
	assert_memory_equal(recorded.records, whole, sizeof whole);
	assert_int_equal(recorded.stream_count, 2);
	assert_ptr_equal(recorded.streams[0].first, &recorded.records[1]);
	assert_int_equal(recorded.streams[0].count, SECOND_STREAM - 1);
	assert_ptr_equal(recorded.streams[1].first, &recorded.records[SECOND_STREAM + 1]);
	assert_int_equal(recorded.streams[1].count, RECORDS - SECOND_STREAM - 1);
	recorded_fini(&recorded);
}

TEST(a_later_window_of_the_same_id_is_of_the_same_thread)
{
	struct stmlog_access_record at[3 * 6];
	static const struct {
		uint64_t id;
		uint16_t window;
		bool is_same;
	} rows[] = {{7, 0, false}, {7, 1, true}, {7, 9, true}, {7, 9, false}, {8, 10, false}, {8, 3, false}};
	for (size_t i = 0; i < 6; i++) {
		at[3 * i] = (struct stmlog_access_record){
			.kind = STMLOG_ACCESS_THREAD, .address = rows[i].id, .size = rows[i].window};
		at[3 * i + 1] = (struct stmlog_access_record){.kind = STMLOG_ACCESS_BEGIN};
		at[3 * i + 2] = (struct stmlog_access_record){.kind = STMLOG_ACCESS_COMMIT};
	}
	assert_true(read_bytes(at, sizeof at));
	assert_int_equal(recorded.stream_count, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(recorded.streams[i].window, rows[i].window);
		assert_true(recorded.streams[i].is_same_thread == rows[i].is_same);
	}
	recorded_fini(&recorded);
}

static bool ends_a_transaction(size_t len)
{
	uint16_t kind = whole[len / sizeof *whole - 1].kind;
	return len % sizeof *whole == 0 && (kind == STMLOG_ACCESS_COMMIT || kind == STMLOG_ACCESS_CANCEL);
}

TEST(a_file_that_ends_early_is_accepted_only_at_the_end_of_a_transaction)
{
	for (size_t len = 0; len <= sizeof whole; len++) {
		bool is_whole = len >= sizeof *whole && ends_a_transaction(len);
		assert_int_equal(read_bytes(whole, len), is_whole);
		if (is_whole)
			recorded_fini(&recorded);
		else
			assert_non_null(fault.what);
	}
}

TEST(a_fault_has_the_number_of_its_record)
{
	struct stmlog_access_record damaged[RECORDS];
	for (size_t i = 0; i < RECORDS; i++) {
		memcpy(damaged, whole, sizeof whole);
		damaged[i].kind = STMLOG_ACCESS_KINDS;
		assert_false(read_bytes(damaged, sizeof damaged));
		assert_int_equal(fault.record, i);
	}
	assert_false(read_bytes(damaged, 1));
	assert_true(fault.record == RECORDED_NO_RECORD);
}

TEST(streams_beyond_the_last_are_refused)
{
	enum { STREAM = 3, STREAMS = RECORDED_STREAMS_MAX + 1 };
	static struct stmlog_access_record many[STREAMS * STREAM];
	for (size_t i = 0; i < STREAMS; i++) {
		many[STREAM * i + 1].kind = STMLOG_ACCESS_BEGIN;
		many[STREAM * i + 2].kind = STMLOG_ACCESS_COMMIT;
	}
	assert_true(read_bytes(many, RECORDED_STREAMS_MAX * STREAM * sizeof *many));
	assert_int_equal(recorded.stream_count, RECORDED_STREAMS_MAX);
	recorded_fini(&recorded);
	assert_false(read_bytes(many, sizeof many));
	assert_int_equal(fault.record, RECORDED_STREAMS_MAX * STREAM);
}

TEST(a_long_file_is_read_to_its_end)
{
	enum { MANY = 200000, BYTES = (2 * MANY + 1) * sizeof *whole };
	struct stmlog_access_record *records = calloc(2 * MANY + 1, sizeof *records);
	assert_non_null(records);
	for (size_t i = 0; i < MANY; i++) {
		records[2 * i + 1].kind = STMLOG_ACCESS_BEGIN;
		records[2 * i + 2].kind = STMLOG_ACCESS_COMMIT;
	}
	assert_true(read_bytes(records, BYTES));
	assert_int_equal(recorded.streams[0].count, 2 * MANY);
	assert_memory_equal(recorded.records, records, BYTES);
	recorded_fini(&recorded);
	free(records);
}

GROUP_WITH(temp_dir_fixture);
