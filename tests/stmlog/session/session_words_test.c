/* SPDX-License-Identifier: MIT
 * A word has its text for as long as the session lasts, whatever becomes of the string that the runtime gave. */

#include <string.h>

#include <stmlog/timeline.h>

#include "losses.h"
#include "mem.h"
#include "session.h"
#include "session_fixture.h"
#include "test.h"

static void forget(void)
{
	words_forget();
	assert_int_equal(mem_live_bytes(), 0);
}

static const struct test_fixture forget_fixture = {.tear_down = forget};

TEST_WITH(forget_fixture, no_word_has_no_text)
{
	words_intern(NULL);
	assert_null(words_text(NULL));
	assert_null(words_copy(NULL));
	assert_int_equal(mem_live_bytes(), 0);
}

TEST_WITH(forget_fixture, a_word_that_was_not_kept_is_its_own_text)
{
	static const char word[] = "word";
	assert_ptr_equal(words_text(word), word);
}

TEST_WITH(forget_fixture, a_kept_word_has_the_text_that_it_had)
{
	char word[] = "LOCKED", empty[] = "";
	words_intern(word);
	words_intern(empty);
	memset(word, 'x', sizeof word);
	empty[0] = 'x';
	words_intern(word);
	assert_string_equal(words_text(word), "LOCKED");
	assert_string_equal(words_text(empty), "");
}

TEST_WITH(forget_fixture, a_long_word_is_cut)
{
	static char longest[1024], longer[1025];
	memset(longest, 'x', 1023);
	memset(longer, 'x', 1024);
	assert_int_equal(strlen(words_copy(longest)), 1023);
	assert_int_equal(strlen(words_copy(longer)), 1023);
}

TEST_WITH(forget_fixture, without_memory_a_word_is_its_own_text)
{
	static const char word[] = "word";
	mem_fail_at(1);
	assert_ptr_equal(words_copy(word), word);
	assert_int_equal(mem_fail_left(), 0);
	assert_string_equal(words_copy(word), "word");
	assert_ptr_not_equal(words_text(word), word);
}

/* As when the runtime is in a library that is unloaded. */
TEST_WITH(session_fixture, words_of_losses_and_events_outlive_their_strings)
{
	char detail[] = "DETAIL", mark[] = "mark", again[] = "DETAIL";
	stmlog_timeline_start();
	stmlog_push(me(), TB_HERE());
	stmlog_start(me());
	fake_clock_advance(MS);
	abort_asked(me(), detail);
	stmlog_mark(me(), mark, 0);
	stmlog_retry(me());
	memset(detail, 'x', sizeof detail);
	memset(mark, 'x', sizeof mark);
	fake_clock_advance(MS);
	abort_asked(me(), again); /* the key is the same: words are compared by their texts */
	stmlog_retry(me());
	stmlog_commit(me());
	stmlog_pop(me());
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
	assert_string_equal(entry_at(fixture_log, 0).cause.detail, "DETAIL");
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = stmlog_timeline_take();
	for (size_t i = 0; i < timeline->len; i++)
		if (timeline->events[i].kind == STMLOG_EVENT_MARK)
			assert_string_equal(timeline->places[timeline->events[i].place].word, "mark");
}
