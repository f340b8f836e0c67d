/* SPDX-License-Identifier: MIT
 * The words by which the kernel tells that a thread was interrupted. */
#include <signal.h>

#include "interruption.h"
#include "peer.h"
#include "test.h"

static ptrdiff_t place;

static void find_place(void)
{
	place = interruption_place();
}

static const struct test_fixture find_place_fixture = {.set_up = find_place};

static volatile uint64_t *word_or_skip(void)
{
	if (place == INTERRUPTION_NONE)
		skip(); /* valgrind and old systems have no restartable sequences */
	return interruption_word(place);
}

static void on_signal(int number)
{
	(void)number;
}

/* The kernel clears the word when it delivers a signal, too. */
static void interrupt_me(void)
{
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
}

static void *look_at_own(void *other)
{
	volatile uint64_t *own = interruption_word(place);
	assert_ptr_not_equal(own, other);
	interruption_watch(own);
	interrupt_me();
	assert_true(interruption_is_noticed(place));
	return NULL;
}

TEST(no_place_tells_of_no_interruption)
{
	interrupt_me();
	assert_false(interruption_is_noticed(INTERRUPTION_NONE));
}

TEST(a_thread_that_was_interrupted_notices_it)
{
	volatile uint64_t *word = word_or_skip();
	for (int i = 0; i < 100; i++) {
		interruption_watch(word);
		interrupt_me();
		assert_true(interruption_is_noticed(place));
		assert_int_equal(*word, 0);
	}
	interruption_unwatch(word);
}

TEST(each_thread_has_a_word_of_its_own_at_the_same_place)
{
	run_in_thread(look_at_own, (void *)word_or_skip());
}

TEST(the_sequence_of_another_library_is_left_alone)
{
	volatile uint64_t word = 64;
	interruption_watch(&word);
	assert_int_equal(word, 64);
	interruption_unwatch(&word);
	assert_int_equal(word, 64);
}

TEST(a_word_is_put_back)
{
	(void)word_or_skip();
	volatile uint64_t word = 0;
	interruption_watch(&word);
	assert_int_not_equal(word, 0);
	interruption_unwatch(&word);
	assert_int_equal(word, 0);
}

GROUP_WITH(find_place_fixture);
