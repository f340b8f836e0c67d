/* SPDX-License-Identifier: MIT
 * Allocated blocks of objects in a recording. */
#include "fixture.h"

#include <string.h>

#include <stmlog/format.h>

#include "blocks.h"
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

static int begin(void **state)
{
	(void)state;
	asked = 0;
	blocks = (struct buffer){.bytes = NULL};
	intern_init(&intern, 1, 1, 0);
	know_blocks(find_unit);
	return 0;
}

static int end(void **state)
{
	(void)state;
	intern_fini(&intern);
	buffer_fini(&blocks);
	assert_int_equal(mem_live_bytes(), 0);
	return 0;
}

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

static void each_block_is_there_once_in_order(void **state)
{
	(void)state;
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

static void what_lies_in_a_block_that_is_there_is_not_asked_for(void **state)
{
	(void)state;
	blocks_add(&blocks, &intern, 2 * UNIT);
	blocks_add(&blocks, &intern, 3 * UNIT - 1);
	assert_int_equal(asked, 1);
	blocks_add(&blocks, &intern, 3 * UNIT);
	assert_int_equal(asked, 2);
	assert_int_equal(count(), 1);
}

static void no_object_and_no_callback_make_no_block(void **state)
{
	(void)state;
	blocks_add(&blocks, &intern, 0);
	assert_int_equal(asked, 0);
	know_blocks(NULL);
	blocks_add(&blocks, &intern, 2 * UNIT);
	assert_int_equal(count(), 0);
}

static void all_of_memory_may_be_one_block(void **state)
{
	(void)state;
	know_blocks(find_all);
	blocks_add(&blocks, &intern, SIZE_MAX - 1);
	blocks_add(&blocks, &intern, 1);
	assert_int_equal(count(), 1);
	assert_true(record(0).address == 0 && record(0).size == SIZE_MAX);
}

static void without_memory_it_has_failed_and_stays_so(void **state)
{
	(void)state;
	mem_fail_at(1);
	blocks_add(&blocks, &intern, 2 * UNIT);
	assert_true(blocks.has_failed);
	blocks_add(&blocks, &intern, 2 * UNIT);
	assert_int_equal(count(), 0);
	assert_int_equal(asked, 1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(each_block_is_there_once_in_order),
		CASE(what_lies_in_a_block_that_is_there_is_not_asked_for),
		CASE(no_object_and_no_callback_make_no_block),
		CASE(all_of_memory_may_be_one_block),
		CASE(without_memory_it_has_failed_and_stays_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
