/* SPDX-License-Identifier: MIT
 * What the library fills in for callers whose headers are older or newer: as many bytes as their structure has, the
 * members that the library does not know are 0, and the bytes behind it stay as they are. */
#include <string.h>

#include "losses.h"
#include "session_fixture.h"
#include "test.h"

enum { CANARY = 0xa5, SPARE = 64, ROOM = 1024 };

static void lose_to(uintptr_t place, uint64_t ns)
{
	stmlog_start(me());
	fake_clock_advance(ns);
	abort_over_write(me(), 64, stmlog_origin(me(), tb_site_make(7, place)), "WORD");
	stmlog_retry(me());
	stmlog_commit(me());
}

/* Fills in a structure of so many bytes. */
typedef void fill_function(void *into, size_t size);

static void fill_account(void *into, size_t size)
{
	stmlog_account_read_sized(me(), into, size);
}

static void fill_account_of_none(void *into, size_t size)
{
	stmlog_account_read_sized(NULL, into, size);
}

static void fill_totals(void *into, size_t size)
{
	stmlog_timelog_totals_sized(fixture_log, into, size);
}

static void fill_totals_of_none(void *into, size_t size)
{
	stmlog_timelog_totals_sized(NULL, into, size);
}

static void fill_entry(void *into, size_t size)
{
	struct stmlog_cursor cursor = stmlog_timelog_cursor(fixture_log);
	assert_int_equal(stmlog_cursor_next_sized(&cursor, into, size), STMLOG_NEXT_ENTRY);
}

static void fill_aggressor(void *into, size_t size)
{
	assert_int_equal(stmlog_timelog_aggressors_sized(fixture_log, into, 1, size), 2);
}

/* `size`: of the structure as the library knows it. */
static void assert_any_size_fits(fill_function *fill, size_t size)
{
	unsigned char whole[ROOM], bytes[ROOM];
	assert_true(size + SPARE < ROOM);
	fill(whole, size);
	for (size_t other = 0; other <= size + SPARE; other += 8) {
		memset(bytes, CANARY, sizeof bytes);
		fill(bytes, other);
		for (size_t i = 0; i < sizeof bytes; i++)
			assert_int_equal(bytes[i], i >= other ? CANARY : i < size ? whole[i] : 0);
	}
}

TEST_WITH(session_fixture, a_structure_of_any_size_is_filled_in_and_nothing_behind_it)
{
	lose_to(1, 2 * MS);
	lose_to(2, 1 * MS);
	assert_any_size_fits(fill_account, sizeof(struct stmlog_account));
	assert_any_size_fits(fill_totals, sizeof(struct stmlog_totals));
	assert_any_size_fits(fill_entry, sizeof(struct stmlog_entry));
	assert_any_size_fits(fill_aggressor, sizeof(struct stmlog_aggressor));
}

TEST_WITH(session_fixture, so_is_what_there_is_of_no_handle)
{
	assert_any_size_fits(fill_account_of_none, sizeof(struct stmlog_account));
	assert_any_size_fits(fill_totals_of_none, sizeof(struct stmlog_totals));
}

/* Rows of a caller lie side by side, as large as its own structure is. */
static void assert_rows_are(size_t size)
{
	struct stmlog_aggressor rows[2];
	unsigned char bytes[ROOM];
	assert_int_equal(stmlog_timelog_aggressors(fixture_log, rows, 2), 2);
	assert_int_equal(stmlog_timelog_aggressors_sized(fixture_log, (void *)bytes, 2, size), 2);
	for (size_t i = 0; i < 2; i++)
		assert_memory_equal(bytes + i * size, &rows[i], size < sizeof rows[i] ? size : sizeof rows[i]);
	assert_int_equal(rows[0].lost_ns, 2 * MS);
	assert_int_equal(rows[1].lost_ns, 1 * MS);
}

TEST_WITH(session_fixture, rows_of_aggressors_are_as_far_apart_as_the_caller_says)
{
	lose_to(1, 2 * MS);
	lose_to(2, 1 * MS);
	assert_rows_are(offsetof(struct stmlog_aggressor, count));
	assert_rows_are(sizeof(struct stmlog_aggressor));
	assert_rows_are(sizeof(struct stmlog_aggressor) + SPARE);
}

TEST_WITH(session_fixture, an_entry_that_is_not_there_is_not_filled_in)
{
	unsigned char byte = CANARY;
	struct stmlog_cursor cursor = stmlog_timelog_cursor(fixture_log);
	assert_int_equal(stmlog_cursor_next_sized(&cursor, (void *)&byte, sizeof byte), STMLOG_NEXT_END);
	assert_int_equal(byte, CANARY);
}
