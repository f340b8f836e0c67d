/* SPDX-License-Identifier: MIT
 * The runtime's own work by its words: equal words are one, whatever their addresses, and the rest has none. */
#include "fixture.h"

#include "own_work.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "session_fixture.h"

static struct stmlog_own_work_record seen[OWN_WORK_WORDS];

/* Copies the table. Returns how many records it has. */
static size_t look(void)
{
	OWNED(buffer_fini) struct buffer section = {.bytes = NULL};
	own_work_copy(&section);
	size_t len = section.len / sizeof *seen;
	if (len != 0)
		memcpy(seen, section.bytes, section.len);
	return len;
}

static void work(const char *word, uint64_t ns)
{
	const struct stmlog_loss loss = stmlog_loss_of(STMLOG_OTHER_WORK, STMLOG_NONE, word);
	stmlog_wait_begin(me(), &loss);
	fake_clock_advance(ns);
	stmlog_wait_end(me());
}

TEST_WITH(session_fixture, work_counts_by_its_word_and_in_the_account)
{
	char word[] = "back-off", again[] = "back-off";
	assert_int_equal(look(), 0);
	work(word, 3 * MS);
	work("mutex", 4 * MS);
	work(again, 5 * MS);
	work(NULL, 6 * MS);
	memset(word, 'x', sizeof word - 1);
	assert_int_equal(look(), 2);
	assert_string_equal(seen[0].word, "back-off");
	assert_int_equal(seen[0].count, 2);
	assert_int_equal(seen[0].ns, 8 * MS);
	assert_string_equal(seen[1].word, "mutex");
	assert_int_equal(seen[1].ns, 4 * MS);
	assert_int_equal(account_of(me()).other_ns, 18 * MS);
}

TEST_WITH(session_fixture, work_with_a_mutex_within_an_attempt_counts_as_well)
{
	stmlog_start(me());
	work("mutex", MS);
	stmlog_commit(me());
	assert_int_equal(look(), 1);
	assert_int_equal(seen[0].ns, MS);
}

TEST_WITH(session_fixture, words_beyond_the_last_row_are_in_the_account_alone)
{
	static char words[OWN_WORK_WORDS + 1][8];
	for (int i = 0; i <= OWN_WORK_WORDS; i++) {
		snprintf(words[i], sizeof words[i], "word %d", i);
		work(words[i], MS);
		assert_int_equal(look(), i < OWN_WORK_WORDS ? i + 1 : OWN_WORK_WORDS);
	}
	assert_int_equal(account_of(me()).other_ns, (OWN_WORK_WORDS + 1) * MS);
}

TEST_WITH(session_fixture, of_a_word_31_bytes_are_kept)
{
	work("a word of more than 31 bytes, as it is", MS);
	assert_int_equal(look(), 1);
	assert_string_equal(seen[0].word, "a word of more than 31 bytes, a");
}

TEST_WITH(session_fixture, a_loss_without_its_size_has_no_word)
{
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_OTHER_WORK, STMLOG_NONE, "word");
	loss.size = 0;
	stmlog_wait_begin(me(), &loss);
	stmlog_wait_end(me());
	assert_int_equal(look(), 0);
}

/* They begin anew, as its account does. */
TEST_WITH(session_fixture, a_forked_child_has_words_of_its_own)
{
	work("back-off", MS);
	work("mutex", MS);
	if (in_forked_child()) {
		work("mutex", MS);
		assert_int_equal(look(), 1);
		assert_int_equal(seen[0].count, 1);
		_exit(0);
	}
	assert_int_equal(look(), 2);
}
