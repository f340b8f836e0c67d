/* SPDX-License-Identifier: MIT
 * Copies are found by the address of their original, as long as the table is not cleared. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "interned.h"
#include "mem.h"
#include "test.h"

enum { MANY = 5000 };

static struct interned interned;
static char originals[MANY][12];

static void set_up(void)
{
	for (int i = 0; i < MANY; i++)
		snprintf(originals[i], sizeof originals[i], "%d", i);
}

static void tear_down(void)
{
	interned_clear(&interned);
	assert_int_equal(mem_live_bytes(), 0);
}

static const struct test_fixture fixture = {set_up, tear_down};

static const char *add(int i)
{
	return interned_add(&interned, originals[i], originals[i], strlen(originals[i]) + 1);
}

TEST_WITH(fixture, an_empty_table_has_nothing)
{
	assert_null(interned_find(&interned, originals[0]));
	interned_clear(&interned);
	assert_int_equal(mem_live_bytes(), 0);
}

TEST_WITH(fixture, a_copy_outlives_its_original)
{
	char text[] = "here";
	const char *copy = interned_add(&interned, text, text, sizeof text);
	text[0] = '?';
	assert_string_equal(copy, "here");
	assert_ptr_equal(interned_find(&interned, text), copy);
	assert_null(interned_find(&interned, text + 1));
}

TEST_WITH(fixture, each_of_many_is_found)
{
	for (int i = 0; i < MANY; i++) {
		assert_null(interned_find(&interned, originals[i]));
		assert_string_equal(add(i), originals[i]);
		assert_string_equal(interned_find(&interned, originals[i / 2]), originals[i / 2]);
	}
	for (int i = 0; i < MANY; i++)
		assert_string_equal(interned_find(&interned, originals[i]), originals[i]);
}

TEST_WITH(fixture, a_copy_may_be_larger_than_a_piece)
{
	static char large[100000];
	memset(large, 'x', sizeof large);
	const char *copy = interned_add(&interned, large, large, sizeof large);
	assert_memory_equal(copy, large, sizeof large);
	assert_string_equal(add(1), originals[1]);
}

TEST_WITH(fixture, known_originals_take_no_memory)
{
	add(7);
	size_t live = mem_live_bytes();
	for (int i = 0; i < 1000; i++)
		assert_string_equal(interned_find(&interned, originals[7]), "7");
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
		assert_ptr_equal(interned_find(&interned, originals[i]), copy);
		if (copy == NULL)
			assert_string_equal(add(i), originals[i]);
	}
	assert_true(refused >= 2);
	for (int i = 0; i < MANY; i++)
		assert_string_equal(interned_find(&interned, originals[i]), originals[i]);
}
