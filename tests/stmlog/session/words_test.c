/* SPDX-License-Identifier: MIT
 * A word has its text for as long as the session lasts, whatever becomes of the string that the runtime gave. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>

#include <cmocka.h>

#include <string.h>

#include <stmlog/timeline.h>

#include "mem.h"
#include "session_fixture.h"
#include "words.h"

static int forget(void **state)
{
	(void)state;
	words_forget();
	return mem_live_bytes() == 0 ? 0 : -1;
}

static void no_word_has_no_text(void **state)
{
	(void)state;
	words_keep(NULL);
	assert_null(words_text(NULL));
	assert_null(words_copy(NULL));
	assert_int_equal(mem_live_bytes(), 0);
}

static void a_word_that_was_not_kept_is_its_own_text(void **state)
{
	(void)state;
	static const char word[] = "word";
	assert_ptr_equal(words_text(word), word);
}

static void a_kept_word_has_the_text_that_it_had(void **state)
{
	(void)state;
	char word[] = "LOCKED", empty[] = "";
	words_keep(word);
	words_keep(empty);
	memset(word, 'x', sizeof word);
	empty[0] = 'x';
	words_keep(word);
	assert_string_equal(words_text(word), "LOCKED");
	assert_string_equal(words_text(empty), "");
}

static void a_long_word_is_cut(void **state)
{
	(void)state;
	static char longest[1024], longer[1025];
	memset(longest, 'x', 1023);
	memset(longer, 'x', 1024);
	assert_int_equal(strlen(words_copy(longest)), 1023);
	assert_int_equal(strlen(words_copy(longer)), 1023);
}

static void without_memory_a_word_is_its_own_text(void **state)
{
	(void)state;
	static const char word[] = "word";
	mem_fail_at(1);
	assert_ptr_equal(words_copy(word), word);
	assert_int_equal(mem_fail_left(), 0);
	assert_string_equal(words_copy(word), "word");
	assert_ptr_not_equal(words_text(word), word);
}

/* As when the runtime is in a library that is unloaded. */
static void words_of_losses_and_events_outlive_their_strings(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	char detail[] = "DETAIL", mark[] = "mark", again[] = "DETAIL";
	stmlog_timeline_start();
	stmlog_start(me);
	fake_clock_advance(MS);
	stmlog_abort_asked(me, detail);
	stmlog_mark(me, mark, 0);
	stmlog_retry(me);
	memset(detail, 'x', sizeof detail);
	memset(mark, 'x', sizeof mark);
	fake_clock_advance(MS);
	stmlog_abort_asked(me, again); /* the key is the same: words are compared by their texts */
	stmlog_retry(me);
	stmlog_commit(me);
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
	assert_string_equal(entry_at(fixture_log, 0).cause.detail, "DETAIL");
	struct stmlog_timeline *timeline = stmlog_timeline_take();
	for (size_t i = 0; i < timeline->len; i++)
		if (timeline->events[i].kind == STMLOG_EVENT_MARK)
			assert_string_equal(timeline->places[timeline->events[i].place].word, "mark");
	stmlog_timeline_destroy(&timeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(no_word_has_no_text, forget),
		cmocka_unit_test_teardown(a_word_that_was_not_kept_is_its_own_text, forget),
		cmocka_unit_test_teardown(a_kept_word_has_the_text_that_it_had, forget),
		cmocka_unit_test_teardown(a_long_word_is_cut, forget),
		cmocka_unit_test_teardown(without_memory_a_word_is_its_own_text, forget),
		SESSION_TEST(words_of_losses_and_events_outlive_their_strings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
