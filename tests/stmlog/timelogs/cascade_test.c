/* SPDX-License-Identifier: MIT
 * An abort is wasted when its culprit's own attempt is aborted; nothing is guessed. */

#include "cascade.h"
#include "test.h"

static struct culprit begin(struct attempts *attempts)
{
	attempts_begin(attempts);
	return (struct culprit){attempts, attempts_current(attempts)};
}

TEST(an_abort_is_wasted_when_its_culprit_aborts)
{
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

TEST(an_abort_is_not_wasted_when_its_culprit_commits)
{
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

TEST(what_is_open_when_the_group_goes_is_undecided)
{
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

TEST(one_culprit_too_many_gives_up_the_longest_known)
{
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

TEST(a_culprit_that_is_over_makes_room_before_one_is_given_up)
{
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

TEST(an_abort_without_a_known_culprit_is_neither)
{
	struct cascade cascade = {.len = 0};
	struct stmlog_entry entry = {.count = 1};
	cascade_add(&cascade, &entry, (struct culprit){NULL, 0}, 10);
	cascade_close(&cascade, &entry);
	assert_int_equal(entry.wasted, 0);
	assert_int_equal(entry.undecided, 0);
}
