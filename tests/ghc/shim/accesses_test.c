/* SPDX-License-Identifier: MIT
 * Reads and writes of TVars: their places, and accesses that wait for a commit of another transaction. */
#include "parked.h"
#include "two_threads.h"
#include "walk.h"

static void begin(void)
{
	begin_threads();
	haskell_call_begin(&thread, &serve);
	haskell_atomically(&thread, &victim);
}

static void go_on(void)
{
	fake_clock_advance(7 * US);
	parked_end();
}

static struct seen_loss pause_in(void (*access)(const struct haskell *, struct hs_tvar *))
{
	begin();
	parked_begin(tvar);
	fake_script.spinning = go_on;
	access(&thread, tvar);
	assert_true(haskell_commit(&thread));
	struct seen_loss seen = losses_word("LOCKED_READ");
	assert_int_equal(seen.entry.cause.reason, STMLOG_PAUSE);
	assert_int_equal(seen.entry.lost_ns, 7 * US);
	assert_int_equal(seen.entry.grade, STMLOG_GRADE_CERTAIN);
	assert_frame(&seen.remote, 0, haskell_code(&poke));
	return seen;
}

TEST_WITH(haskell_fixture, a_read_waits_for_the_transaction_that_commits)
{
	struct seen_loss seen = pause_in(victim_reads);
	assert_int_equal(seen.entry.cause.contention, STMLOG_WRITE_READ);
	assert_frame(&seen.local, 0, haskell_code(&reader));
	assert_int_equal(haskell_account(&thread).paused_ns, 7 * US);
	assert_int_equal(haskell_account(&thread).pauses, 1);
}

TEST_WITH(haskell_fixture, a_write_waits_for_the_transaction_that_commits)
{
	struct seen_loss seen = pause_in(victim_writes);
	assert_int_equal(seen.entry.cause.contention, STMLOG_WRITE_WRITE);
	assert_frame(&seen.local, 0, haskell_code(&writer));
}

TEST_WITH(haskell_fixture, an_attempt_does_not_wait_for_what_it_has_read_already)
{
	begin();
	victim_reads(&thread, tvar);
	parked_begin(tvar);
	victim_reads(&thread, tvar);
	parked_end();
	assert_int_equal(losses_see(NULL, 0), 0);
	assert_int_equal(haskell_account(&thread).pauses, 0);
	fail_once();
}

/* What has changed while the attempt waited was not read by it. */
TEST_WITH(haskell_fixture, an_access_that_has_waited_sees_the_new_value)
{
	begin();
	parked_begin(tvar);
	fake_script.spinning = go_on;
	victim_reads(&thread, tvar);
	lose_once();
	struct seen_loss seen[2];
	assert_int_equal(losses_see(seen, 2), 2);
	assert_string_equal(seen[1].entry.cause.detail, "INVALID");
	assert_int_equal(seen[1].entry.grade, STMLOG_GRADE_CERTAIN);
}

/* ---- commits in the middle of a read ---- */

static void commit_poke(void)
{
	haskell_poke(&other, &poke, tvar);
}

static void commit_serve(void)
{
	haskell_poke(&other, &serve, tvar);
}

static void begin_poke(void)
{
	parked_begin(tvar);
}

/* The victim reads while these come, and fails because of what it has read. */
static struct seen_loss read_between(void (*before)(void), void (*behind)(void))
{
	begin();
	fake_script.reading = before;
	fake_script.has_read = behind;
	victim_reads(&thread, tvar);
	if (behind == begin_poke)
		parked_end();
	fail_once();
	return losses_word("INVALID");
}

TEST_WITH(haskell_fixture, a_commit_directly_behind_a_read_is_certain)
{
	struct seen_loss seen = read_between(NULL, commit_poke);
	assert_int_equal(seen.entry.grade, STMLOG_GRADE_CERTAIN);
	assert_frame(&seen.remote, 0, haskell_code(&poke));
}

TEST_WITH(haskell_fixture, a_commit_directly_before_a_read_is_not_the_culprit)
{
	struct seen_loss seen = read_between(commit_serve, begin_poke);
	assert_int_equal(seen.entry.grade, STMLOG_GRADE_CERTAIN);
	assert_frame(&seen.remote, 0, haskell_code(&poke));
}

/* Which of their values was read is not known. */
TEST_WITH(haskell_fixture, of_two_commits_around_a_read_none_is_certain)
{
	struct seen_loss seen = read_between(commit_serve, commit_poke);
	assert_int_equal(seen.entry.grade, STMLOG_GRADE_CANDIDATE);
}

/* ---- tracebacks ---- */

TEST_WITH(haskell_fixture, a_traceback_goes_from_the_access_to_the_callers_of_the_transaction)
{
	begin();
	haskell_call_begin(&thread, &writer);
	victim_reads(&thread, tvar);
	haskell_call_end(&thread);
	haskell_call_begin(&other, &serve);
	haskell_atomically(&other, &poke);
	victim_writes(&other, tvar);
	assert_true(haskell_commit(&other));
	fail_once();
	const struct haskell_function *const local[] = {&reader, &writer, &victim, &serve}, *const remote[] = {&writer,
												    &poke, &serve};
	struct seen_loss seen = losses_word("INVALID");
	assert_int_equal(seen.local.len, 4);
	for (size_t i = 0; i < 4; i++)
		assert_frame(&seen.local, i, haskell_code(local[i]));
	assert_int_equal(seen.remote.len, 3);
	for (size_t i = 0; i < 3; i++)
		assert_frame(&seen.remote, i, haskell_code(remote[i]));
	assert_int_equal(seen.entry.site.position, haskell_code(&victim));
}

TEST_WITH(haskell_fixture, the_innermost_frame_has_a_mark)
{
	begin();
	victim_reads(&thread, tvar);
	lose_once();
	struct seen_loss seen = losses_word("INVALID");
	assert_int_equal(seen.local.sites[0].position, haskell_code(&reader) - 1 + WALK_TOP);
	assert_int_equal(seen.local.sites[1].position, haskell_code(&victim));
}

TEST_WITH(haskell_fixture, an_access_without_a_frame_is_what_the_transaction_ends_with)
{
	begin();
	haskell_read(&thread, tvar);
	lose_once();
	struct seen_loss seen = losses_word("INVALID");
	assert_int_equal(seen.local.sites[0].position, haskell_code(&victim) - 1 + WALK_LAST);
	assert_int_equal(seen.local.sites[1].position, haskell_code(&victim));
}

/* ---- code that has left the stack ---- */

static const struct fake_info next = FAKE_INFO(FAKE_FUN, 0);

static void read_in_bind(void)
{
	bind_begin(thread.tso->stack, &next);
	haskell_read(&thread, fake_tvar());
	bind_end(thread.tso->stack);
}

/* The place of a read in no frame at which the attempt fails. */
static uintptr_t place_of_read(void)
{
	haskell_read(&thread, tvar);
	lose_once();
	return losses_word("INVALID").local.sites[0].position;
}

TEST_WITH(haskell_fixture, an_access_behind_a_frame_that_has_gone_is_in_what_that_went_on_with)
{
	begin();
	read_in_bind();
	assert_int_equal(place_of_read(), fake_info(&next) + WALK_LEFT);
}

TEST_WITH(haskell_fixture, a_new_attempt_has_left_no_code)
{
	begin();
	victim_reads(&thread, tvar);
	read_in_bind();
	const struct lane_stack *stack = &lane_of(hs_trec(thread.tso)->mark)->stack;
	assert_int_equal(stack->len, 1);
	haskell_poke(&other, &poke, tvar);
	assert_false(haskell_commit(&thread));
	assert_int_equal(stack->len, 0);
	assert_true(haskell_commit(&thread));
}

/* Its frames have addresses of closures. */
TEST_WITH(haskell_fixture, a_collection_makes_the_stack_unknown)
{
	begin();
	read_in_bind();
	haskell_collect();
	assert_int_equal(place_of_read(), haskell_code(&victim) - 1 + WALK_LAST);
}

/* More TVars than a chunk of entries has, and more than an attempt has records of. */
TEST_WITH(haskell_fixture, an_attempt_may_read_very_many_tvars)
{
	enum { FEW = 40, MANY = 4200 };
	begin();
	victim_reads(&thread, tvar);
	for (int i = 0; i < FEW; i++)
		haskell_read(&thread, fake_tvar());
	haskell_poke(&other, &poke, tvar);
	assert_false(haskell_commit(&thread));
	assert_int_equal(losses_only(1).entry.grade, STMLOG_GRADE_CERTAIN);
	for (int i = 0; i < MANY; i++)
		haskell_read(&thread, fake_tvar());
	victim_reads(&thread, tvar);
	fake_clock_advance(US);
	lose_once();
	struct seen_loss seen[2];
	assert_int_equal(losses_see(seen, 2), 2);
	assert_int_equal(seen[0].entry.grade, STMLOG_GRADE_UNKNOWN); /* where it was read is not known */
	assert_frame(&seen[0].local, 0, haskell_code(&victim));
}
