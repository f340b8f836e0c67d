/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "dictionary.h"

static void each_text_has_one_number(void **state)
{
	(void)state;
	enum { TEXTS = 500 };
	struct dictionary dictionary = {0};
	char text[16];
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < TEXTS; i++) {
			snprintf(text, sizeof text, "%d", i * 7919 % TEXTS);
			const struct dictionary_entry *entry = dictionary_find(&dictionary, text);
			assert_int_equal(entry->number, i + 1);
			assert_int_equal(entry->is_new, round == 0);
			assert_string_equal(entry->text, text);
		}
	}
	dictionary_fini(&dictionary);
}

static void no_text_is_a_text(void **state)
{
	(void)state;
	struct dictionary dictionary = {0};
	assert_int_equal(dictionary_find(&dictionary, "a")->number, 1);
	assert_int_equal(dictionary_find(&dictionary, "")->number, 2);
	assert_false(dictionary_find(&dictionary, "")->is_new);
	dictionary_fini(&dictionary);
}

static void an_empty_one_can_be_ended_twice(void **state)
{
	(void)state;
	struct dictionary dictionary = {0};
	dictionary_fini(&dictionary);
	dictionary_fini(&dictionary);
	assert_true(dictionary_find(&dictionary, "a")->is_new);
	dictionary_fini(&dictionary);
	assert_true(dictionary_find(&dictionary, "a")->is_new);
	dictionary_fini(&dictionary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_text_has_one_number),
		cmocka_unit_test(no_text_is_a_text),
		cmocka_unit_test(an_empty_one_can_be_ended_twice),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
