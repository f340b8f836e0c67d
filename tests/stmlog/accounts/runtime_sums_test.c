/* SPDX-License-Identifier: MIT
 * The table of green threads: which are one, how many there may be, and what they have lost. The runtime's own work by
 * its words: equal words are one, whatever their addresses, and the rest has none. */
#include "fixture.h"

#include "runtime_sums.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "session_fixture.h"

/* ---- green threads ---- */

static struct stmlog_green_record seen_green[STMLOG_GREEN_MAX];

/* Copies the table. Returns how many records it has. */
static size_t look_at_green(void)
{
	OWNED(buffer_fini) struct buffer section = {.bytes = NULL};
	green_copy(&section);
	size_t len = section.len / sizeof *seen_green;
	if (len != 0)
		memcpy(seen_green, section.bytes, section.len);
	return len;
}

TEST_WITH(session_fixture, a_thread_has_one_number_and_other_threads_have_others)
{
	assert_int_equal(look_at_green(), 0);
	assert_int_equal(stmlog_green_thread(17, ""), 1);
	assert_int_equal(stmlog_green_thread(18, ""), 2);
	assert_int_equal(stmlog_green_thread(17, ""), 1);
	assert_int_equal(look_at_green(), 2);
	assert_int_equal(seen_green[1].id, 18);
	assert_string_equal(seen_green[1].label, "");
}

TEST_WITH(session_fixture, threads_of_one_label_are_one_without_a_number)
{
	assert_int_equal(stmlog_green_thread(17, "reader"), 1);
	assert_int_equal(stmlog_green_thread(17, "reader"), 1);
	look_at_green();
	assert_int_equal(seen_green[0].id, 17);
	assert_int_equal(stmlog_green_thread(18, "reader"), 1);
	assert_int_equal(stmlog_green_thread(17, ""), 2);
	assert_int_equal(look_at_green(), 2);
	assert_int_equal(seen_green[0].id, 0);
	assert_string_equal(seen_green[0].label, "reader");
}

TEST_WITH(session_fixture, of_a_label_31_bytes_are_kept_and_compared)
{
	assert_int_equal(stmlog_green_thread(1, "a label of more than 31 bytes, as it is"), 1);
	assert_int_equal(stmlog_green_thread(2, "a label of more than 31 bytes, as it was"), 1);
	assert_int_equal(look_at_green(), 1);
	assert_string_equal(seen_green[0].label, "a label of more than 31 bytes, ");
}

TEST_WITH(session_fixture, threads_beyond_the_last_record_have_no_number)
{
	for (uint64_t id = 1; id <= STMLOG_GREEN_MAX; id++)
		assert_int_equal(stmlog_green_thread(id, ""), id);
	assert_int_equal(stmlog_green_thread(STMLOG_GREEN_MAX + 1, ""), 0);
	assert_int_equal(stmlog_green_thread(STMLOG_GREEN_MAX, ""), STMLOG_GREEN_MAX);
	assert_int_equal(look_at_green(), STMLOG_GREEN_MAX);
}

static struct stmlog_loss loss_of(enum stmlog_reason reason, uint16_t green, uint16_t remote_green)
{
	struct stmlog_loss loss = stmlog_loss_make(reason, STMLOG_DATA, "WORD");
	loss.green = green;
	loss.remote_green = remote_green;
	return loss;
}

TEST_WITH(session_fixture, a_loss_counts_to_both_sides_and_for_as_many_as_it_stands_for)
{
	uint16_t victim = stmlog_green_thread(17, ""), culprit = stmlog_green_thread(18, "");
	struct stmlog_loss loss = loss_of(STMLOG_SELF_ABORT, victim, culprit);
	green_add(&loss, 100, 0);
	green_add(&loss, 50, 9);
	look_at_green();
	assert_int_equal(seen_green[0].count, 2);
	assert_int_equal(seen_green[0].estimated_ns, 600);
	assert_int_equal(seen_green[0].led_count, 0);
	assert_int_equal(seen_green[1].count, 0);
	assert_int_equal(seen_green[1].led_count, 2);
	assert_int_equal(seen_green[1].led_estimated_ns, 600);
}

TEST_WITH(session_fixture, user_aborts_and_numbers_that_nobody_has_count_to_nobody)
{
	uint16_t known = stmlog_green_thread(17, "");
	struct stmlog_loss asked = loss_of(STMLOG_USER_ABORT, known, known), odd = loss_of(STMLOG_SELF_ABORT, 2, 9);
	green_add(&asked, 100, 0);
	green_add(&odd, 100, 0);
	look_at_green();
	assert_int_equal(seen_green[0].count + seen_green[0].led_count, 0);
}

TEST_WITH(session_fixture, the_next_session_knows_none)
{
	stmlog_green_thread(17, "reader");
	green_forget();
	assert_int_equal(look_at_green(), 0);
	assert_int_equal(stmlog_green_thread(18, ""), 1);
	look_at_green();
	assert_string_equal(seen_green[0].label, "");
}

TEST_WITH(session_fixture, an_abort_counts_to_its_green_threads)
{
	uint16_t victim = stmlog_green_thread(17, ""), culprit = stmlog_green_thread(18, "");
	struct stmlog_loss loss = loss_of(STMLOG_SELF_ABORT, victim, culprit);
	stmlog_start(me());
	stmlog_abort(me(), &loss);
	stmlog_retry(me());
	stmlog_commit(me());
	look_at_green();
	assert_int_equal(seen_green[0].count, 1);
	assert_int_equal(seen_green[1].led_count, 1);
}

/* ---- own work ---- */

static struct stmlog_own_work_record seen_work[OWN_WORK_WORDS];

/* Copies the table. Returns how many records it has. */
static size_t look_at_work(void)
{
	OWNED(buffer_fini) struct buffer section = {.bytes = NULL};
	own_work_copy(&section);
	size_t len = section.len / sizeof *seen_work;
	if (len != 0)
		memcpy(seen_work, section.bytes, section.len);
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
	assert_int_equal(look_at_work(), 0);
	work(word, 3 * MS);
	work("mutex", 4 * MS);
	work(again, 5 * MS);
	work(NULL, 6 * MS);
	memset(word, 'x', sizeof word - 1);
	assert_int_equal(look_at_work(), 2);
	assert_string_equal(seen_work[0].word, "back-off");
	assert_int_equal(seen_work[0].count, 2);
	assert_int_equal(seen_work[0].ns, 8 * MS);
	assert_string_equal(seen_work[1].word, "mutex");
	assert_int_equal(seen_work[1].ns, 4 * MS);
	assert_int_equal(account_of(me()).other_ns, 18 * MS);
}

TEST_WITH(session_fixture, work_with_a_mutex_within_an_attempt_counts_as_well)
{
	stmlog_start(me());
	work("mutex", MS);
	stmlog_commit(me());
	assert_int_equal(look_at_work(), 1);
	assert_int_equal(seen_work[0].ns, MS);
}

TEST_WITH(session_fixture, words_beyond_the_last_row_are_in_the_account_alone)
{
	static char words[OWN_WORK_WORDS + 1][8];
	for (int i = 0; i <= OWN_WORK_WORDS; i++) {
		snprintf(words[i], sizeof words[i], "word %d", i);
		work(words[i], MS);
		assert_int_equal(look_at_work(), i < OWN_WORK_WORDS ? i + 1 : OWN_WORK_WORDS);
	}
	assert_int_equal(account_of(me()).other_ns, (OWN_WORK_WORDS + 1) * MS);
}

TEST_WITH(session_fixture, of_a_word_31_bytes_are_kept)
{
	work("a word of more than 31 bytes, as it is", MS);
	assert_int_equal(look_at_work(), 1);
	assert_string_equal(seen_work[0].word, "a word of more than 31 bytes, a");
}

TEST_WITH(session_fixture, a_loss_without_its_size_has_no_word)
{
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_OTHER_WORK, STMLOG_NONE, "word");
	loss.size = 0;
	stmlog_wait_begin(me(), &loss);
	stmlog_wait_end(me());
	assert_int_equal(look_at_work(), 0);
}

/* They begin anew, as its account does. */
TEST_WITH(session_fixture, a_forked_child_has_words_of_its_own)
{
	work("back-off", MS);
	work("mutex", MS);
	if (in_forked_child()) {
		work("mutex", MS);
		assert_int_equal(look_at_work(), 1);
		assert_int_equal(seen_work[0].count, 1);
		_exit(0);
	}
	assert_int_equal(look_at_work(), 2);
}
