/* SPDX-License-Identifier: MIT
 * Memory for recorded accesses. The accesses need no transactions around them here. */

#include <stdlib.h>
#include <string.h>

#include "targets.h"
#include "test.h"

#define KEPT (((uint64_t)1 << TARGETS_KEPT_BITS) - 1)

static struct targets targets;

static struct stmlog_access_record access_of(uint64_t address, size_t size)
{
	return (struct stmlog_access_record){.address = address, .kind = STMLOG_ACCESS_READ, .size = (uint16_t)size};
}

static const char *map(struct stmlog_access_record *records, size_t count)
{
	struct recorded recorded = {.records = records, .count = count};
	return targets_init(&targets, &recorded);
}

TEST(low_bits_stay_and_all_bytes_can_be_written)
{
	struct stmlog_access_record records[] = {
		access_of(0x555500001000, 8),
		access_of(0x555500001ffc, 8),
		access_of(0x7f5500001000, 65535),
		access_of(0x555500009123, 1),
		access_of(KEPT, 65535), /* ends in another region */
		access_of(0, 1),
		access_of(UINT64_MAX - 16, 16),
	};
	enum { COUNT = sizeof records / sizeof *records };
	assert_null(map(records, COUNT));
	for (size_t i = 0; i < COUNT; i++) {
		char *at = targets_find(&targets, records[i].address);
		assert_int_equal((uintptr_t)at & KEPT, records[i].address & KEPT);
		memset(at, 1, records[i].size);
	}
	targets_fini(&targets);
}

TEST(addresses_that_differ_stay_different)
{
	struct stmlog_access_record records[] = {access_of(0x555500001000, 8), access_of(0x7f5500001000, 8)};
	assert_null(map(records, 2));
	char *one = targets_find(&targets, records[0].address), *other = targets_find(&targets, records[1].address);
	*one = 1;
	assert_int_equal(*other, 0);
	targets_fini(&targets);
}

TEST(memory_that_is_there_is_left_alone)
{
	struct stmlog_access_record record = access_of(0x555500001000, 8);
	assert_null(map(&record, 1));
	struct targets first = targets;
	char *at = targets_find(&first, record.address);
	*at = 1;
	assert_null(map(&record, 1));
	assert_ptr_not_equal(targets_find(&targets, record.address), at);
	assert_int_equal(*at, 1);
	targets_fini(&targets);
	targets_fini(&first);
}

TEST(pages_far_apart_may_be_more_than_the_kernel_has_mappings)
{
	enum { COUNT = 70000, APART = 3 * 4096 };
	struct stmlog_access_record *records = calloc(COUNT, sizeof *records);
	assert_non_null(records);
	for (size_t i = 0; i < COUNT; i++)
		records[i] = access_of(0x7f0000000000 - i * APART, 8);
	assert_null(map(records, COUNT));
	for (size_t i = 0; i < COUNT; i++)
		*targets_find(&targets, records[i].address) = 1;
	targets_fini(&targets);
	free(records);
}

TEST(too_many_regions_are_refused)
{
	struct stmlog_access_record records[TARGETS_REGIONS_MAX + 1];
	for (size_t i = 0; i <= TARGETS_REGIONS_MAX; i++)
		records[i] = access_of(i << TARGETS_KEPT_BITS, 1);
	assert_non_null(map(records, TARGETS_REGIONS_MAX + 1));
	assert_null(map(records, TARGETS_REGIONS_MAX));
	targets_fini(&targets);
}

TEST(too_much_memory_is_refused)
{
	enum { APART = 65536, COUNT = (1 << 30) / APART + 1 };
	struct stmlog_access_record *records = calloc(COUNT, sizeof *records);
	assert_non_null(records);
	for (size_t i = 0; i < COUNT; i++)
		records[i] = access_of(i * APART, APART - 1);
	assert_non_null(map(records, COUNT));
	free(records);
}

TEST(a_recording_without_accesses_needs_no_memory)
{
	struct stmlog_access_record record = {.kind = STMLOG_ACCESS_BEGIN, .address = 0x555500001000};
	assert_null(map(&record, 1));
	assert_int_equal(targets.range_count, 0);
	targets_fini(&targets);
}
