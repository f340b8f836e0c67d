/* SPDX-License-Identifier: MIT
 * The table of green threads: which are one, how many there may be, and what they have lost. */
#include "fixture.h"

#include "green.h"

#include <stdio.h>
#include <string.h>

#include "session_fixture.h"

static struct stmlog_green_record seen[STMLOG_GREEN_MAX];

/* Copies the table. Returns how many records it has. */
static size_t look(void)
{
	OWNED(buffer_fini) struct buffer section = {.bytes = NULL};
	green_copy(&section);
	size_t len = section.len / sizeof *seen;
	if (len != 0)
		memcpy(seen, section.bytes, section.len);
	return len;
}

TEST_WITH(session_fixture, a_thread_has_one_number_and_other_threads_have_others)
{
	assert_int_equal(look(), 0);
	assert_int_equal(stmlog_green_thread(17, ""), 1);
	assert_int_equal(stmlog_green_thread(18, ""), 2);
	assert_int_equal(stmlog_green_thread(17, ""), 1);
	assert_int_equal(look(), 2);
	assert_int_equal(seen[1].id, 18);
	assert_string_equal(seen[1].label, "");
}

TEST_WITH(session_fixture, threads_of_one_label_are_one_without_a_number)
{
	assert_int_equal(stmlog_green_thread(17, "reader"), 1);
	assert_int_equal(stmlog_green_thread(17, "reader"), 1);
	look();
	assert_int_equal(seen[0].id, 17);
	assert_int_equal(stmlog_green_thread(18, "reader"), 1);
	assert_int_equal(stmlog_green_thread(17, ""), 2);
	assert_int_equal(look(), 2);
	assert_int_equal(seen[0].id, 0);
	assert_string_equal(seen[0].label, "reader");
}

TEST_WITH(session_fixture, of_a_label_31_bytes_are_kept_and_compared)
{
	assert_int_equal(stmlog_green_thread(1, "a label of more than 31 bytes, as it is"), 1);
	assert_int_equal(stmlog_green_thread(2, "a label of more than 31 bytes, as it was"), 1);
	assert_int_equal(look(), 1);
	assert_string_equal(seen[0].label, "a label of more than 31 bytes, ");
}

TEST_WITH(session_fixture, threads_beyond_the_last_record_have_no_number)
{
	for (uint64_t id = 1; id <= STMLOG_GREEN_MAX; id++)
		assert_int_equal(stmlog_green_thread(id, ""), id);
	assert_int_equal(stmlog_green_thread(STMLOG_GREEN_MAX + 1, ""), 0);
	assert_int_equal(stmlog_green_thread(STMLOG_GREEN_MAX, ""), STMLOG_GREEN_MAX);
	assert_int_equal(look(), STMLOG_GREEN_MAX);
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
	look();
	assert_int_equal(seen[0].count, 2);
	assert_int_equal(seen[0].estimated_ns, 600);
	assert_int_equal(seen[0].led_count, 0);
	assert_int_equal(seen[1].count, 0);
	assert_int_equal(seen[1].led_count, 2);
	assert_int_equal(seen[1].led_estimated_ns, 600);
}

TEST_WITH(session_fixture, user_aborts_and_numbers_that_nobody_has_count_to_nobody)
{
	uint16_t known = stmlog_green_thread(17, "");
	struct stmlog_loss asked = loss_of(STMLOG_USER_ABORT, known, known), odd = loss_of(STMLOG_SELF_ABORT, 2, 9);
	green_add(&asked, 100, 0);
	green_add(&odd, 100, 0);
	look();
	assert_int_equal(seen[0].count + seen[0].led_count, 0);
}

TEST_WITH(session_fixture, the_next_session_knows_none)
{
	stmlog_green_thread(17, "reader");
	green_forget();
	assert_int_equal(look(), 0);
	assert_int_equal(stmlog_green_thread(18, ""), 1);
	look();
	assert_string_equal(seen[0].label, "");
}

TEST_WITH(session_fixture, an_abort_counts_to_its_green_threads)
{
	uint16_t victim = stmlog_green_thread(17, ""), culprit = stmlog_green_thread(18, "");
	struct stmlog_loss loss = loss_of(STMLOG_SELF_ABORT, victim, culprit);
	stmlog_start(me());
	stmlog_abort(me(), &loss);
	stmlog_retry(me());
	stmlog_commit(me());
	look();
	assert_int_equal(seen[0].count, 1);
	assert_int_equal(seen[1].led_count, 1);
}
