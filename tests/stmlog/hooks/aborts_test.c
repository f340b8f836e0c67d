/* SPDX-License-Identifier: MIT
 * The hooks for aborts: what each of them records, and the effect of each mistake. tests/examples/smallstm/ has the
 * table of causes, from a real STM. */
#include "loss_and_account.h"
#include "misuse.h"
#include "unknown.h"

/* ---- causes ---- */

/* A runtime does not know the cause of its rarest aborts. */
TEST_WITH(opponent_fixture, an_abort_without_a_conflict_is_one_of_unknown_cause)
{
	size_t before = misuse_total();
	stmlog_start(me());
	fake_clock_advance(3 * MS);
	stmlog_abort(me(), NULL);
	stmlog_retry(me());
	stmlog_commit(me());
	assert_int_equal(misuse_total(), before);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.lost_ns, 3 * MS);
	assert_int_equal(entry.cause.reason, STMLOG_SELF_ABORT);
	assert_int_equal(entry.cause.contention, STMLOG_NONE);
	assert_null(entry.cause.detail);
	assert_int_equal(tb_frame_site(entry.local).position, 1);
	assert_int_equal(entry.grade, STMLOG_GRADE_UNKNOWN);
	assert_unknown(&entry, 0);
}

/* It knows that there was no other transaction, or that another one was in the way. */
TEST_WITH(opponent_fixture, an_abort_that_needs_no_other_transaction_has_nobody_on_the_other_side)
{
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_SELF_ABORT, STMLOG_NONE, "TABLE_FULL");
	lose(me(), 3 * MS, &loss);
	loss.cause.contention = STMLOG_WRITE_WRITE;
	lose(me(), 2 * MS, &loss);
	loss.cause.contention = STMLOG_NONE;
	loss.size = 0; /* a mistake */
	lose(me(), 1 * MS, &loss);
	assert_ptr_equal(entry_at(fixture_log, 0).remote, TB_EMPTY);
	assert_ptr_equal(entry_at(fixture_log, 1).remote, TB_UNKNOWN);
	assert_ptr_equal(entry_at(fixture_log, 2).remote, TB_UNKNOWN);
}

static const struct stmlog_cause impossible[] = {
	{STMLOG_PAUSE, STMLOG_WRITE_WRITE, "WORD"},
	{STMLOG_WAIT, STMLOG_INEVITABLE, "WORD"},
	{STMLOG_OTHER_WORK, STMLOG_NONE, "WORD"},
	{STMLOG_BLOCKED, STMLOG_NONE, "WORD"},
	{(enum stmlog_reason)(STMLOG_BLOCKED + 1), STMLOG_NONE, "WORD"},
	{STMLOG_ABORTED_BY_OTHER, STMLOG_INEVITABLE, "WORD"},
	{STMLOG_SELF_ABORT, STMLOG_CONTENTIONS, "WORD"},
};
enum { IMPOSSIBLE = sizeof impossible / sizeof *impossible };

/* An attempt of 1 ms whose abort has the cause, by origins or with frames; and one that commits. */
static void abort_impossibly(const struct stmlog_cause *cause, bool has_frames)
{
	struct stmlog_loss loss = stmlog_loss_of(cause->reason, cause->contention, cause->detail);
	if (has_frames) {
		loss.local = tb_current(stmlog_thread_stack(me()));
		loss.remote = TB_UNKNOWN;
	}
	lose_1_ms(&loss);
}

TEST_WITH(opponent_fixture, an_abort_with_a_cause_that_no_abort_has_is_a_mistake_and_one_of_unknown_cause)
{
	size_t before = misuse_total();
	for (size_t i = 0; i < IMPOSSIBLE; i++) {
		abort_impossibly(&impossible[i], false);
		abort_impossibly(&impossible[i], true);
		assert_int_equal(misuse_total(), before + 2 * (i + 1));
	}
	struct stmlog_account account = account_of(me());
	assert_int_equal(account.commits, 2 * IMPOSSIBLE);
	assert_int_equal(account.aborts[STMLOG_NONE], 2 * IMPOSSIBLE);
	assert_int_equal(account.aborted_ns[STMLOG_NONE], 2 * IMPOSSIBLE * MS);
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.count, 2 * IMPOSSIBLE);
	assert_int_equal(entry.cause.reason, STMLOG_SELF_ABORT);
	assert_int_equal(entry.cause.contention, STMLOG_NONE);
	assert_null(entry.cause.detail);
}

/* ---- times ---- */

TEST_WITH(opponent_fixture, an_abort_that_is_told_later_ends_the_attempt_when_it_failed)
{
	struct stmlog_loss loss = loss_over_write(STMLOG_SELF_ABORT, OBJECT, 0, NULL);
	stmlog_start(me());
	loss.at_ns = stmlog_now_ns() + 2 * MS;
	fake_clock_advance(5 * MS);
	stmlog_abort(me(), &loss);
	stmlog_retry(me());
	fake_clock_advance(1 * MS);
	stmlog_commit(me());
	struct stmlog_account account = account_of(me());
	assert_int_equal(account.aborted_ns[STMLOG_WRITE_WRITE], 2 * MS);
	assert_int_equal(account.committed_ns, 4 * MS);
	assert_int_equal(entry_at(fixture_log, 0).lost_ns, 2 * MS);
	assert_int_equal(entry_at(fixture_log, 0).last_ns, loss.at_ns);
}

/* ---- by another transaction ---- */

TEST_WITH(opponent_fixture, who_aborts_another_is_shown_to_it)
{
	stmlog_start(me());
	uint64_t own = we_touch_at(2);
	tell(it_starts);
	tell(it_has_us_abort);
	fake_clock_advance(3 * US);
	struct stmlog_loss loss = loss_over_write(STMLOG_ABORTED_BY_OTHER, OBJECT, it.origin, "WANTED");
	loss.own = own;
	stmlog_abort(me(), &loss);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.reason, STMLOG_ABORTED_BY_OTHER);
	assert_int_equal(entry.cause.contention, STMLOG_WRITE_WRITE);
	assert_string_equal(entry.cause.detail, "WANTED");
	assert_int_equal(entry.lost_ns, 3 * US);
	assert_int_equal(tb_frame_site(entry.local).position, 2);
	assert_int_equal(tb_frame_site(entry.remote).position, 530);
	assert_int_equal(entry.remote_thread, stmlog_thread_id(it.thread));
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	assert_int_equal(entry.objects[0].address, OBJECT);
	tell(it_commits);
}

TEST_WITH(opponent_fixture, a_reader_aborted_by_a_writer_sees_where_that_wrote)
{
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_ABORTED_BY_OTHER, STMLOG_WRITE_READ, NULL);
	stmlog_start(me());
	tell(it_starts_and_writes);
	loss.other = it.origin;
	tell(it_has_us_abort);
	stmlog_abort(me(), &loss);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.contention, STMLOG_WRITE_READ);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	tell(it_commits);
}

TEST_WITH(opponent_fixture, having_another_abort_is_no_loss_and_takes_no_time_of_either)
{
	stmlog_start(me());
	tell(it_starts);
	fake_clock_advance(MS);
	struct stmlog_account before = account_of(me()), its = account_of(it.thread), after;
	tell(it_has_us_abort);
	stmlog_abort_other(me(), NULL);
	after = account_of(me());
	assert_memory_equal(&before, &after, sizeof before);
	after = account_of(it.thread);
	assert_memory_equal(&its, &after, sizeof its);
	stmlog_commit(me());
	tell(it_commits);
	assert_int_equal(stmlog_timelog_len(fixture_log), 0);
	assert_int_equal(account_of(me()).commits, 1);
}

/* ---- mistakes ---- */

static void call_each_abort(void)
{
	const struct stmlog_loss loss = loss_over_write(STMLOG_SELF_ABORT, OBJECT, 0, NULL);
	stmlog_abort(me(), &loss);
	stmlog_abort(me(), NULL);
	abort_asked(me(), NULL);
}

static void call_each_other_hook_of_an_attempt(void)
{
	const struct stmlog_loss loss = loss_over_write(STMLOG_SELF_ABORT, OBJECT, 0, NULL);
	stmlog_abort_other(me(), &loss);
	stmlog_failed(me());
	pause_over_write(me(), OBJECT, 0, NULL);
	assert_int_equal(stmlog_origin(me(), TB_NO_SITE), 0);
	assert_int_equal(stmlog_origin(me(), at(1)), 0);
	assert_int_equal(stmlog_became_inevitable(me(), TB_NO_SITE), 0);
}

TEST_WITH(opponent_fixture, mistakes_change_nothing_and_are_counted)
{
	size_t before = misuse_total();
	call_each_abort();
	call_each_other_hook_of_an_attempt();
	assert_int_equal(misuse_total(), before + 9); /* no attempt is under way */
	stmlog_start(me());
	pause_over_write(me(), OBJECT, 0, NULL);
	call_each_other_hook_of_an_attempt();
	assert_int_equal(misuse_total(), before + 15); /* it waits; an abort would end that */
	stmlog_wait_end(me());
	stmlog_abort(me(), NULL);
	call_each_abort();
	call_each_other_hook_of_an_attempt();
	assert_int_equal(misuse_total(), before + 23); /* it is over; but a pause may begin */
	stmlog_wait_end(me());
	stmlog_retry(me());
	stmlog_commit(me());
	assert_int_equal(misuse_total(), before + 23);
	assert_int_equal(stmlog_timelog_len(fixture_log), 2); /* of the pause, and of the abort */
}
