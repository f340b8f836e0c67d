/* SPDX-License-Identifier: MIT
 * The messages of stmlog_abort_other(): who gets them, when they are thrown away, and what they tell. */
#include "fixture.h"

#include <unistd.h>

#include "unknown.h"
#include "child.h"

TEST_WITH(opponent_fixture, who_aborts_another_is_shown_to_it)
{
	we_start();
	stmlog_wrote(self(), OBJECT);
	tell(it_starts);
	tell_with(it_has_us_abort, STMLOG_WRITE_MEETS_WRITE);
	fake_clock_advance(3 * US);
	stmlog_aborted_by(self(), it_now(), STMLOG_WRITE_READ, NULL); /* the message knows better */
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.reason, STMLOG_ABORTED_BY_OTHER);
	assert_int_equal(entry.cause.contention, STMLOG_WRITE_WRITE);
	assert_string_equal(entry.cause.detail, "WANTED");
	assert_int_equal(entry.lost_ns, 3 * US);
	assert_int_equal(tb_frame_site(entry.local).position, 1);
	assert_int_equal(tb_frame_site(entry.remote).position, 530);
	assert_int_equal(entry.remote_thread, stmlog_thread_id(it.thread));
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	assert_int_equal(entry.objects[0].address, OBJECT);
	tell(it_commits);
}

TEST_WITH(opponent_fixture, a_reader_aborted_by_a_writer_sees_where_that_wrote)
{
	we_start();
	tell(it_starts);
	tell_with(it_writes_at, 510);
	tell_with(it_has_us_abort, STMLOG_WRITE_MEETS_READ);
	stmlog_aborted_by(self(), nobody, STMLOG_WRITE_READ, NULL);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.contention, STMLOG_WRITE_READ);
	assert_ptr_equal(entry.local, TB_UNKNOWN);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(entry.grade, STMLOG_GRADE_CANDIDATE); /* the runtime did not say who */
	tell(it_commits);
}

TEST_WITH(opponent_fixture, who_tries_again_and_again_leaves_one_message)
{
	we_start();
	tell(it_starts);
	for (int i = 0; i < 3 * INBOX_MESSAGES; i++)
		tell_with(it_has_us_abort, STMLOG_WRITE_MEETS_WRITE);
	unsigned messages = 0;
	for (int i = 0; i < INBOX_MESSAGES; i++)
		messages += AO_load(&self()->inbox.messages[i].state) == MESSAGE_FULL;
	assert_int_equal(messages, 1);
	stmlog_aborted_by(self(), it_now(), STMLOG_WRITE_WRITE, NULL);
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 0).remote).position, 530);
	we_start(); /* another attempt is told again */
	tell_with(it_has_us_abort, STMLOG_WRITE_MEETS_WRITE);
	assert_true(inbox_has_mail(&self()->inbox));
	stmlog_commit(self());
	tell(it_commits);
}

TEST_WITH(opponent_fixture, a_message_that_was_for_an_earlier_attempt_is_not_taken_for_this_one)
{
	we_start();
	tell(it_starts);
	stmlog_abort_asked(self(), NULL); /* by itself, before it could see that it was to */
	tell_with(it_has_us_abort, STMLOG_WRITE_MEETS_WRITE);
	stmlog_retry(self());
	stmlog_aborted_by(self(), it_now(), STMLOG_WRITE_READ, "LATER");
	struct stmlog_entry entry = entry_at(fixture_log, 1);
	assert_string_equal(entry.cause.detail, "LATER");
	assert_unknown(&entry, 1);
	assert_false(inbox_has_mail(&self()->inbox));
	tell(it_commits);
}

TEST_WITH(opponent_fixture, messages_of_those_who_came_too_late_do_not_fill_the_inbox)
{
	tell(it_starts);
	for (int i = 0; i < 3 * INBOX_MESSAGES; i++) {
		we_start();
		tell_with(it_has_us_abort, STMLOG_WRITE_MEETS_WRITE);
		stmlog_commit(self()); /* was quicker */
	}
	we_start();
	tell_with(it_has_us_abort, STMLOG_WRITE_MEETS_WRITE);
	stmlog_aborted_by(self(), it_now(), STMLOG_WRITE_WRITE, NULL);
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 0).remote).position, 530);
	tell(it_commits);
}

TEST_WITH(opponent_fixture, a_thread_may_end_with_messages_that_it_never_read)
{
	tell(it_starts);
	struct stmlog_other gone = it_now();
	stmlog_start(self());
	stmlog_contention(self(), STMLOG_WRITE_MEETS_WRITE, OBJECT, gone, NULL);
	for (int i = 0; i <= INBOX_MESSAGES; i++)
		stmlog_abort_other(self());
	tell(it_leaves);
	stmlog_abort_other(self()); /* nobody is there any more; no mistake */
	stmlog_contention(self(), STMLOG_WRITE_MEETS_WRITE, OBJECT, gone, NULL);
	stmlog_commit(self());
	tell(it_attaches); /* by the same record: the messages are not for it */
	tell(it_starts);
	tell(it_is_aborted_by_us);
	assert_ptr_equal(it.entry.remote, TB_UNKNOWN);
}

/* What the child does; the peer's thread does not exist there, but its record does. */
static bool child_goes_on(void)
{
	stmlog_aborted_by(self(), it_now(), STMLOG_WRITE_WRITE, NULL);
	stmlog_retry(self());
	stmlog_wrote(self(), OBJECT);
	stmlog_contention(self(), STMLOG_WRITE_MEETS_WRITE, OBJECT, it_now(), NULL);
	stmlog_abort_other(self()); /* nobody reads it */
	fake_clock_advance(5 * US);
	stmlog_abort_self(self());
	struct stmlog_cursor cursor = stmlog_timelog_cursor(fixture_log);
	struct stmlog_entry entry;
	return stmlog_cursor_next(&cursor, &entry) == STMLOG_NEXT_ENTRY && entry.lost_ns == 5 * US &&
	       tb_frame_site(entry.remote).position == 510 && !inbox_has_mail(&self()->inbox);
}

TEST_WITH(opponent_fixture, a_forked_child_goes_on_without_the_messages_of_its_parent)
{
	we_start();
	tell(it_starts);
	tell_with(it_writes_at, 510);
	tell_with(it_has_us_abort, STMLOG_WRITE_MEETS_WRITE);
	pid_t child = fork();
	if (child == 0)
		_exit(child_goes_on() ? 0 : 1);
	assert_child_succeeds(child);
	stmlog_aborted_by(self(), it_now(), STMLOG_WRITE_WRITE, NULL);
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 0).remote).position, 530);
	tell(it_commits);
}

static void it_has_us_abort_over_its_neighbour(void *unused)
{
	(void)unused;
	stmlog_contention(it.thread, STMLOG_WRITE_MEETS_WRITE, NEIGHBOUR, it.target, "WANTED");
	stmlog_contention_overlap(it.thread, STMLOG_OVERLAP_STRIPE, OBJECT);
	stmlog_abort_other(it.thread);
}

TEST_WITH(opponent_fixture, a_message_has_the_overlap_and_the_objects_from_the_other_side)
{
	we_start();
	we_write_at(2, OBJECT);
	tell(it_starts);
	tell(it_has_us_abort_over_its_neighbour);
	stmlog_aborted_by(self(), it_now(), STMLOG_WRITE_WRITE, NULL);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.false_conflicts, 1);
	assert_int_equal(entry.false_aliases, 0);
	assert_int_equal(entry.objects[0].address, OBJECT);
	assert_int_equal(entry.objects[0].other, NEIGHBOUR);
	assert_int_equal(tb_frame_site(entry.local).position, 2); /* where it wrote its own object */
	tell(it_commits);
}
