/* SPDX-License-Identifier: MIT
 * Copies are found by the address of their original, as long as the keep is not cleared. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "keep.h"
#include "mem.h"
#include "test.h"

enum { MANY = 5000 };

static struct keep keep;
static char originals[MANY][8];

static void set_up(void)
{
	for (int i = 0; i < MANY; i++)
		snprintf(originals[i], sizeof originals[i], "%d", i);
}

static void tear_down(void)
{
	keep_clear(&keep);
	assert_int_equal(mem_live_bytes(), 0);
}

static const struct test_fixture fixture = {set_up, tear_down};

static const char *add(int i)
{
	return keep_add(&keep, originals[i], originals[i], strlen(originals[i]) + 1);
}

TEST_WITH(fixture, an_empty_keep_has_nothing)
{
	assert_null(keep_find(&keep, originals[0]));
	keep_clear(&keep);
	assert_int_equal(mem_live_bytes(), 0);
}

TEST_WITH(fixture, a_copy_outlives_its_original)
{
	char text[] = "here";
	const char *copy = keep_add(&keep, text, text, sizeof text);
	text[0] = '?';
	assert_string_equal(copy, "here");
	assert_ptr_equal(keep_find(&keep, text), copy);
	assert_null(keep_find(&keep, text + 1));
}

TEST_WITH(fixture, each_of_many_is_found)
{
	for (int i = 0; i < MANY; i++) {
		assert_null(keep_find(&keep, originals[i]));
		assert_string_equal(add(i), originals[i]);
		assert_string_equal(keep_find(&keep, originals[i / 2]), originals[i / 2]);
	}
	for (int i = 0; i < MANY; i++)
		assert_string_equal(keep_find(&keep, originals[i]), originals[i]);
}

TEST_WITH(fixture, a_copy_may_be_larger_than_a_piece)
{
	static char large[100000];
	memset(large, 'x', sizeof large);
	const char *copy = keep_add(&keep, large, large, sizeof large);
	assert_memory_equal(copy, large, sizeof large);
	assert_string_equal(add(1), originals[1]);
}

TEST_WITH(fixture, known_originals_take_no_memory)
{
	add(7);
	size_t live = mem_live_bytes();
	for (int i = 0; i < 1000; i++)
		assert_string_equal(keep_find(&keep, originals[7]), "7");
	assert_int_equal(mem_live_bytes(), live);
}

/* Nothing is lost but the copy that got no memory. */
TEST_WITH(fixture, without_memory_nothing_is_found_and_all_else_stays)
{
	int refused = 0;
	for (int i = 0; i < MANY; i++) {
		errno = 5;
		mem_fail_at(1 + (size_t)(i % 2));
		const char *copy = add(i);
		mem_fail_at(0);
		assert_int_equal(errno, 5);
		refused += copy == NULL;
		assert_ptr_equal(keep_find(&keep, originals[i]), copy);
		if (copy == NULL)
			assert_string_equal(add(i), originals[i]);
	}
	assert_true(refused >= 2);
	for (int i = 0; i < MANY; i++)
		assert_string_equal(keep_find(&keep, originals[i]), originals[i]);
}
