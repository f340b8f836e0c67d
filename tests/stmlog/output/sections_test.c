/* SPDX-License-Identifier: MIT
 * Allocated blocks of objects in a recording. */
#include "fixture.h"

#include <string.h>

#include <stmlog/format.h>

#include "sections.h"
#include "mem.h"
#include "random.h"
#include "runtimes.h"
#include "session.h"

/* The runtime's answer is the unit of UNIT bytes that the object lies in, if that number is even. */
enum { UNIT = 48, OBJECTS = 3000, SPAN = 400 * UNIT };

static size_t asked;

static bool find_unit(uintptr_t object, struct stmlog_block *block, void *arg)
{
	(void)arg;
	asked++;
	block->start = object - object % UNIT;
	block->size = UNIT;
	block->is_freed = false;
	tb_copy_forget(&block->allocated);
	return object / UNIT % 2 == 0;
}

static bool find_all(uintptr_t object, struct stmlog_block *block, void *arg)
{
	(void)object;
	(void)arg;
	*block = (struct stmlog_block){.start = 0, .size = SIZE_MAX};
	return true;
}

static struct buffer blocks;
static struct intern intern;

static void know_blocks(bool (*find_block)(uintptr_t object, struct stmlog_block *block, void *arg))
{
	runtimes_forget();
	assert_int_equal(runtimes_join(&(struct stmlog_setup){.find_block = find_block}), 0);
}

static void begin(void)
{
	asked = 0;
	blocks = (struct buffer){.bytes = NULL};
	intern_init(&intern, 1, 1, 0);
	know_blocks(find_unit);
}

static void end(void)
{
	intern_fini(&intern);
	buffer_fini(&blocks);
	assert_int_equal(mem_live_bytes(), 0);
}

static const struct test_fixture fixture = {begin, end};

static struct stmlog_block_record record(size_t i)
{
	struct stmlog_block_record found;
	memcpy(&found, blocks.bytes + i * sizeof found, sizeof found);
	return found;
}

static size_t count(void)
{
	return blocks.len / sizeof(struct stmlog_block_record);
}

TEST_WITH(fixture, each_block_is_there_once_in_order)
{
	struct random random = {5};
	bool has[SPAN / UNIT] = {false};
	size_t expected = 0;
	for (size_t i = 0; i < OBJECTS; i++) {
		uintptr_t object = 1 + random_below(&random, SPAN - 1);
		bool is_known = object / UNIT % 2 == 0;
		expected += is_known && !has[object / UNIT];
		has[object / UNIT] |= is_known;
		blocks_add(&blocks, &intern, object);
	}
	assert_int_equal(count(), expected);
	for (size_t i = 0; i < count(); i++) {
		assert_true(has[record(i).address / UNIT] && record(i).address % UNIT == 0 && record(i).size == UNIT);
		assert_true(i == 0 || record(i).address > record(i - 1).address);
	}
}

TEST_WITH(fixture, what_lies_in_a_block_that_is_there_is_not_asked_for)
{
	blocks_add(&blocks, &intern, 2 * UNIT);
	blocks_add(&blocks, &intern, 3 * UNIT - 1);
	assert_int_equal(asked, 1);
	blocks_add(&blocks, &intern, 3 * UNIT);
	assert_int_equal(asked, 2);
	assert_int_equal(count(), 1);
}

TEST_WITH(fixture, no_object_and_no_callback_make_no_block)
{
	blocks_add(&blocks, &intern, 0);
	assert_int_equal(asked, 0);
	know_blocks(NULL);
	blocks_add(&blocks, &intern, 2 * UNIT);
	assert_int_equal(count(), 0);
}

TEST_WITH(fixture, all_of_memory_may_be_one_block)
{
	know_blocks(find_all);
	blocks_add(&blocks, &intern, SIZE_MAX - 1);
	blocks_add(&blocks, &intern, 1);
	assert_int_equal(count(), 1);
	assert_true(record(0).address == 0 && record(0).size == SIZE_MAX);
}

TEST_WITH(fixture, without_memory_it_has_failed_and_stays_so)
{
	mem_fail_at(1);
	blocks_add(&blocks, &intern, 2 * UNIT);
	assert_true(blocks.has_failed);
	blocks_add(&blocks, &intern, 2 * UNIT);
	assert_int_equal(count(), 0);
	assert_int_equal(asked, 1);
}
