/* SPDX-License-Identifier: MIT
 * An abort is wasted when its culprit's own attempt is aborted; nothing is guessed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>

#include <cmocka.h>

#include "cascade.h"

static struct culprit begin(struct attempts *attempts)
{
	attempts_begin(attempts);
	return (struct culprit){attempts, attempts_current(attempts)};
}

static void an_abort_is_wasted_when_its_culprit_aborts(void **state)
{
	(void)state;
	struct attempts attempts = {.word = 0};
	struct cascade cascade = {.len = 0};
	struct stmlog_entry entry = {.count = 2};
	struct culprit culprit = begin(&attempts);
	cascade_add(&cascade, &entry, culprit, 10);
	cascade_add(&cascade, &entry, culprit, 20);
	assert_true(cascade_decide(&cascade, &entry));
	assert_int_equal(entry.wasted, 0);
	attempts_abort(&attempts);
	assert_false(cascade_decide(&cascade, &entry));
	assert_int_equal(entry.wasted, 2);
	assert_int_equal(entry.wasted_ns, 30);
	assert_int_equal(entry.undecided, 0);
}

static void an_abort_is_not_wasted_when_its_culprit_commits(void **state)
{
	(void)state;
	struct attempts attempts = {.word = 0};
	struct cascade cascade = {.len = 0};
	struct stmlog_entry entry = {.count = 1};
	cascade_add(&cascade, &entry, begin(&attempts), 10);
	attempts_end(&attempts);
	begin(&attempts);
	attempts_abort(&attempts); /* its next attempt is another matter */
	assert_false(cascade_decide(&cascade, &entry));
	assert_int_equal(entry.wasted, 0);
	assert_int_equal(entry.undecided, 0);
}

static void what_is_open_when_the_group_goes_is_undecided(void **state)
{
	(void)state;
	struct attempts attempts = {.word = 0};
	struct cascade cascade = {.len = 0};
	struct stmlog_entry entry = {.count = 1};
	cascade_add(&cascade, &entry, begin(&attempts), 10);
	cascade_close(&cascade, &entry);
	assert_int_equal(entry.undecided, 1);
	assert_int_equal(cascade.len, 0);
	attempts_abort(&attempts);
	assert_false(cascade_decide(&cascade, &entry));
	assert_int_equal(entry.wasted, 0);
}

static void one_culprit_too_many_gives_up_the_longest_known(void **state)
{
	(void)state;
	struct attempts attempts[CASCADE_CULPRITS + 1] = {{.word = 0}};
	struct cascade cascade = {.len = 0};
	struct stmlog_entry entry = {.count = CASCADE_CULPRITS + 1};
	for (int i = 0; i < CASCADE_CULPRITS; i++)
		cascade_add(&cascade, &entry, begin(&attempts[i]), 1);
	assert_int_equal(entry.undecided, 0);
	cascade_add(&cascade, &entry, begin(&attempts[CASCADE_CULPRITS]), 1);
	assert_int_equal(entry.undecided, 1);
	for (int i = 0; i <= CASCADE_CULPRITS; i++)
		attempts_abort(&attempts[i]);
	assert_false(cascade_decide(&cascade, &entry));
	assert_int_equal(entry.wasted, CASCADE_CULPRITS);
}

static void a_culprit_that_is_over_makes_room_before_one_is_given_up(void **state)
{
	(void)state;
	struct attempts attempts[CASCADE_CULPRITS + 1] = {{.word = 0}};
	struct cascade cascade = {.len = 0};
	struct stmlog_entry entry = {.count = CASCADE_CULPRITS + 1};
	for (int i = 0; i < CASCADE_CULPRITS; i++)
		cascade_add(&cascade, &entry, begin(&attempts[i]), 1);
	attempts_abort(&attempts[2]);
	cascade_add(&cascade, &entry, begin(&attempts[CASCADE_CULPRITS]), 1);
	assert_int_equal(entry.undecided, 0);
	assert_int_equal(entry.wasted, 1);
	cascade_close(&cascade, &entry);
	assert_int_equal(entry.undecided, CASCADE_CULPRITS);
}

static void an_abort_without_a_known_culprit_is_neither(void **state)
{
	(void)state;
	struct cascade cascade = {.len = 0};
	struct stmlog_entry entry = {.count = 1};
	cascade_add(&cascade, &entry, (struct culprit){NULL, 0}, 10);
	cascade_close(&cascade, &entry);
	assert_int_equal(entry.wasted, 0);
	assert_int_equal(entry.undecided, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_abort_is_wasted_when_its_culprit_aborts),
		cmocka_unit_test(an_abort_is_not_wasted_when_its_culprit_commits),
		cmocka_unit_test(what_is_open_when_the_group_goes_is_undecided),
		cmocka_unit_test(one_culprit_too_many_gives_up_the_longest_known),
		cmocka_unit_test(a_culprit_that_is_over_makes_room_before_one_is_given_up),
		cmocka_unit_test(an_abort_without_a_known_culprit_is_neither),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
