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
	records_keep(&records);
	return record;
}

static void a_tvar_is_found_by_its_first_access(void **state)
{
	(void)state;
	clear();
	assert_null(records_first(&records, 1));
	const struct record *first = add(1, false);
	add(2, false);
	add(1, true);
	assert_ptr_equal(records_first(&records, 1), first);
	assert_null(records_first(&records, 3));
}

static void there_are_so_many_records_and_no_more(void **state)
{
	(void)state;
	clear();
	for (uintptr_t i = 1; i <= RECORDS_MOST; i++)
		add(i, false);
	assert_int_equal(records_first(&records, RECORDS_MOST)->tvar, RECORDS_MOST);
	add(RECORDS_MOST + 1, false);
	assert_int_equal(records.len, RECORDS_MOST);
	assert_null(records_first(&records, RECORDS_MOST + 1));
}

static void a_record_that_is_not_kept_is_not_found(void **state)
{
	(void)state;
	clear();
	records_next(&records)->tvar = 1;
	assert_null(records_first(&records, 1));
}

static void a_write_is_looked_for_among_the_latest_records(void **state)
{
	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(a_tvar_is_found_by_its_first_access),
		FIXTURE_TEST(there_are_so_many_records_and_no_more),
		FIXTURE_TEST(a_record_that_is_not_kept_is_not_found),
		FIXTURE_TEST(a_write_is_looked_for_among_the_latest_records),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
