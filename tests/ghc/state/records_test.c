/* SPDX-License-Identifier: MIT
 * What an attempt has accessed. */
#include "fixture.h"

#include "records.h"

static struct records records;

static void clear(void)
{
	records.len = 0;
}

static struct record *add(uintptr_t tvar, bool is_write)
{
	struct record *record = records_next(&records);
	record->tvar = tvar;
	record->is_write = is_write;
	records_append(&records);
	return record;
}

TEST_WITH(no_leaks, a_tvar_is_found_by_its_first_access)
{
	clear();
	assert_null(records_first(&records, 1));
	const struct record *first = add(1, false);
	add(2, false);
	add(1, true);
	assert_ptr_equal(records_first(&records, 1), first);
	assert_null(records_first(&records, 3));
}

TEST_WITH(no_leaks, there_are_so_many_records_and_no_more)
{
	clear();
	for (uintptr_t i = 1; i <= RECORDS_MAX; i++)
		add(i, false);
	assert_int_equal(records_first(&records, RECORDS_MAX)->tvar, RECORDS_MAX);
	add(RECORDS_MAX + 1, false);
	assert_int_equal(records.len, RECORDS_MAX);
	assert_null(records_first(&records, RECORDS_MAX + 1));
}

TEST_WITH(no_leaks, a_record_that_is_not_kept_is_not_found)
{
	clear();
	records_next(&records)->tvar = 1;
	assert_null(records_first(&records, 1));
}

TEST_WITH(no_leaks, a_write_is_looked_for_among_the_latest_records)
{
	clear();
	add(1, false);
	assert_null(records_write_near(&records, 1));
	const struct record *write = add(1, true);
	for (uintptr_t i = 1; i < RECORDS_NEAR; i++)
		add(1 + i, true);
	assert_ptr_equal(records_write_near(&records, 1), write);
	add(2, true);
	assert_null(records_write_near(&records, 1));
}
