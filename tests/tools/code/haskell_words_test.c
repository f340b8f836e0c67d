/* SPDX-License-Identifier: MIT
 * Words of a Haskell source that read or write TVars. */
#include "test.h"

#include <stdio.h>

#include "haskell_calling.h"

static struct haskell_words words;

/* Looks in all lines of the source but the first. */
static void find(const char *source, bool writes)
{
	char bytes[512];
	char *lines[16];
	struct source_text text = {bytes, lines, 0};
	snprintf(bytes, sizeof bytes, "%s", source);
	lines[0] = bytes;
	for (char *at = bytes; *at != '\0'; at++)
		if (*at == '\n')
			lines[++text.len] = at + 1;
	words = haskell_words_find(&text, 2, (uint32_t)text.len, writes);
}

static void assert_lines(size_t len, const uint32_t *lines)
{
	assert_true(words.is_whole);
	assert_int_equal(words.len, len);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(words.lines[i], lines[i]);
}

TEST(each_word_is_of_its_kind)
{
	const char *source =
		"readTVar\n x <- readTVar v\n writeTVar v x\n modifyTVar' v f\n swapTVar v 1 >> stateTVar v g\n";
	find(source, false);
	assert_lines(4, (const uint32_t[]){2, 4, 5, 5});
	find(source, true);
	assert_lines(4, (const uint32_t[]){3, 4, 5, 5});
}

TEST(parts_of_words_strings_and_comments_are_none)
{
	find("\n readTVar2 readTVarIO myreadTVar\n f \"readTVar \\\" readTVar\" -- readTVar\n STM.readTVar v\n", false);
	assert_lines(1, (const uint32_t[]){4});
	find("\n", false);
	assert_lines(0, NULL);
}

TEST(a_comment_over_lines_may_hide_words)
{
	find("\n readTVar v {- and\n readTVar w -}\n", false);
	assert_false(words.is_whole);
}

TEST(definitions_that_run_elsewhere_have_no_order)
{
	find("\n do\n  readTVar v\n  step\n", false);
	assert_true(words.is_ordered);
	find("\n do\n  step\n  where\n   step = readTVar v\n", false);
	assert_false(words.is_ordered);
	find("\n do\n  let step =\n        readTVar v\n  step\n", false);
	assert_false(words.is_ordered);
	find("\n do\n  let y = 1\n      z = 2\n  readTVar v\n", false);
	assert_true(words.is_ordered);
}
