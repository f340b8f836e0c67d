/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "dictionary.h"
#include "test.h"

TEST(each_text_has_one_number)
{
	enum { TEXTS = 500 };
	OWNED(dictionary_fini) struct dictionary dictionary = {0};
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
}

TEST(no_text_is_a_text)
{
	OWNED(dictionary_fini) struct dictionary dictionary = {0};
	assert_int_equal(dictionary_find(&dictionary, "a")->number, 1);
	assert_int_equal(dictionary_find(&dictionary, "")->number, 2);
	assert_false(dictionary_find(&dictionary, "")->is_new);
}

TEST(an_empty_one_can_be_ended_twice)
{
	struct dictionary dictionary = {0};
	dictionary_fini(&dictionary);
	dictionary_fini(&dictionary);
	assert_true(dictionary_find(&dictionary, "a")->is_new);
	dictionary_fini(&dictionary);
	assert_true(dictionary_find(&dictionary, "a")->is_new);
	dictionary_fini(&dictionary);
}
