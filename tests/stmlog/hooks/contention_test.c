/* SPDX-License-Identifier: MIT
 * When two meet: who is shown where, what each mistake does, and what has become of the other one. The
 * rows of the table of causes by a real STM are tests/smallstm's. */
#include "fixture.h"

#include <sys/wait.h>
#include <unistd.h>

#include "mem.h"
#include "misuse.h"
#include "peer.h"
#include "session_fixture.h"
#include "thread.h"

#define OBJECT ((uintptr_t)0x1000)

static struct peer peer;

/* What the peer's thread is told, and tells. */
static struct {
	struct stmlog_thread *thread;
	uint64_t attempt;
	struct stmlog_other target;
	struct stmlog_entry entry; /* its own costliest */
	struct stmlog_timelog *log;
} it;

static const struct stmlog_other nobody;

static struct tb_site at(uintptr_t place)
{
	return tb_site_make(77, place);
}

/* ---- what the peer does ---- */

static void it_attaches(void *unused)
{
	(void)unused;
	it.thread = stmlog_thread_attach();
	it.log = stmlog_timelog_create(8, STMLOG_KEEP_COSTLIEST);
	stmlog_timelog_activate(it.log);
	tb_push(stmlog_thread_stack(it.thread), at(500));
	tb_push(stmlog_thread_stack(it.thread), at(501));
}

static void it_leaves(void *unused)
{
	(void)unused;
	stmlog_timelog_destroy(&it.log);
	stmlog_thread_detach();
}

static void it_starts(void *unused)
{
	(void)unused;
	stmlog_start(it.thread);
	it.attempt = stmlog_attempt(it.thread);
}

static void it_writes_at(void *place)
{
	tb_update(stmlog_thread_stack(it.thread), at((uintptr_t)place));
	stmlog_wrote(it.thread, OBJECT);
	tb_update(stmlog_thread_stack(it.thread), at(599));
}

static void it_becomes_inevitable(void *unused)
{
	(void)unused;
	tb_update(stmlog_thread_stack(it.thread), at(520));
	stmlog_became_inevitable(it.thread);
	tb_update(stmlog_thread_stack(it.thread), at(599));
}

static void it_commits(void *unused)
{
	(void)unused;
	stmlog_commit(it.thread);
}

static void it_gives_up(void *unused)
{
	(void)unused;
	stmlog_abort_asked(it.thread, NULL);
}

/* Makes this test's thread abort over what it now writes, or over what it wrote. */
static void it_has_us_abort(void *conflict)
{
	tb_update(stmlog_thread_stack(it.thread), at(530));
	stmlog_contention(it.thread, (enum stmlog_conflict)(uintptr_t)conflict, OBJECT, it.target, "WANTED");
	stmlog_abort_other(it.thread);
}

static void it_is_aborted_by_us(void *unused)
{
	(void)unused;
	stmlog_aborted_by(it.thread, it.target, STMLOG_WRITE_WRITE, NULL);
	it.entry = entry_at(it.log, 0);
}

static void tell(void (*what)(void *arg))
{
	peer_do(&peer, what, NULL);
}

/* ---- */

static int setup(void **state)
{
	session_setup(state);
	peer_start(&peer);
	tell(it_attaches);
	tb_push(stmlog_thread_stack(stmlog_thread_self()), at(1));
	it.target = nobody;
	return 0;
}

static int teardown(void **state)
{
	tb_pop(stmlog_thread_stack(stmlog_thread_self()));
	tell(it_leaves);
	peer_end(&peer);
	return session_teardown(state);
}

static struct stmlog_thread *self(void)
{
	return stmlog_thread_self();
}

static struct stmlog_other it_now(void)
{
	return stmlog_other_make(it.thread, it.attempt);
}

static void we_start(void)
{
	stmlog_start(self());
	it.target = stmlog_other_make(self(), stmlog_attempt(self()));
}

/* The peer's attempt writes the object at 510; this thread meets it and gives up after 5 us. */
static void lose_to_its_write(struct stmlog_other other)
{
	stmlog_start(self());
	fake_clock_advance(5 * US);
	stmlog_contention(self(), STMLOG_WRITE_MEETS_WRITE, OBJECT, other, "TAKEN");
	stmlog_abort_self(self());
}

static void assert_unknown(const struct stmlog_entry *entry, uint64_t unavailable)
{
	assert_ptr_equal(entry->remote, TB_UNKNOWN);
	assert_int_equal(AO_load(&self()->tracebacks_unavailable), unavailable);
}

static void the_other_is_shown_where_it_wrote_and_not_where_it_is(void **state)
{
	(void)state;
	tell(it_starts);
	peer_do(&peer, it_writes_at, (void *)510);
	peer_do(&peer, it_writes_at, (void *)511); /* the first of several counts */
	lose_to_its_write(it_now());
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.reason, STMLOG_SELF_ABORT);
	assert_int_equal(entry.cause.contention, STMLOG_WRITE_WRITE);
	assert_string_equal(entry.cause.detail, "TAKEN");
	assert_int_equal(entry.lost_ns, 5 * US);
	assert_int_equal(entry.objects[0].address, OBJECT);
	assert_int_equal(tb_frame_site(entry.local).position, 1);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(tb_frame_site(tb_down(entry.remote)).position, 500);
	assert_int_equal(entry.remote_thread, stmlog_thread_id(it.thread));
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	tell(it_commits);
}

static void a_clone_outlives_the_thread_that_it_is_of(void **state)
{
	(void)state;
	tell(it_starts);
	peer_do(&peer, it_writes_at, (void *)510);
	lose_to_its_write(it_now());
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
	tell(it_commits);
	tell(it_leaves);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(tb_depth(entry.remote), 2);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(tb_frame_site(tb_down(entry.remote)).position, 500);
	tell(it_attaches);
}

static void an_attempt_that_has_ended_is_still_known_and_one_long_over_is_unknown_and_counted(void **state)
{
	(void)state;
	tell(it_starts);
	peer_do(&peer, it_writes_at, (void *)510);
	struct stmlog_other met = it_now();
	tell(it_commits);
	lose_to_its_write(met);
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 0).remote).position, 510);
	for (int i = 0; i < 2; i++) {
		tell(it_starts);
		peer_do(&peer, it_writes_at, (void *)510);
		tell(it_commits);
	}
	stmlog_timelog_clear(fixture_log);
	lose_to_its_write(met);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_unknown(&entry, 1);
	assert_int_equal(entry.grade, STMLOG_GRADE_UNKNOWN);
	assert_int_equal(entry.remote_thread, 0);
}

static void without_a_number_the_attempt_under_way_is_a_candidate(void **state)
{
	(void)state;
	tell(it_starts);
	peer_do(&peer, it_writes_at, (void *)510);
	lose_to_its_write(stmlog_other_make(it.thread, 0));
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.grade, STMLOG_GRADE_CANDIDATE);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	tell(it_commits);
	stmlog_timelog_clear(fixture_log);
	lose_to_its_write(stmlog_other_make(it.thread, 0)); /* in none */
	entry = entry_at(fixture_log, 0);
	assert_unknown(&entry, 1);
}

static void a_reader_that_is_in_no_attempt_is_nobody(void **state)
{
	(void)state;
	stmlog_start(self());
	stmlog_wrote(self(), OBJECT);
	stmlog_contention(self(), STMLOG_WRITE_MEETS_READ, OBJECT, stmlog_other_make(it.thread, 0), NULL);
	stmlog_abort_self(self());
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.remote_thread, 0);
	assert_int_equal(entry.grade, STMLOG_GRADE_UNKNOWN);
}

static void what_the_runtime_does_not_know_is_unknown_and_no_loss_of_ours(void **state)
{
	(void)state;
	lose_to_its_write(nobody);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_unknown(&entry, 0);
	assert_true(stmlog_timelog_len(fixture_log) == 1);
}

static void a_writer_met_by_a_reader_shows_its_earlier_write(void **state)
{
	(void)state;
	tell(it_starts);
	stmlog_start(self());
	tb_push(stmlog_thread_stack(self()), at(2));
	stmlog_wrote(self(), OBJECT);
	tb_pop(stmlog_thread_stack(self()));
	stmlog_contention(self(), STMLOG_WRITE_MEETS_READ, OBJECT, it_now(), NULL);
	stmlog_abort_self(self());
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.contention, STMLOG_WRITE_READ);
	assert_int_equal(tb_frame_site(entry.local).position, 2);
	assert_unknown(&entry, 0); /* as it should be */
	assert_int_equal(entry.remote_thread, stmlog_thread_id(it.thread));
	tell(it_commits);
}

static void pauses_and_waits_for_an_inevitable_one_show_where_it_became_so_although_it_is_gone_after(void **state)
{
	(void)state;
	tell(it_starts);
	tell(it_becomes_inevitable);
	stmlog_wait_inevitable(self(), it_now(), "FULL");
	fake_clock_advance(7 * US);
	stmlog_wait_end(self());
	stmlog_start(self());
	stmlog_contention(self(), STMLOG_INEVITABLE_MEETS_SAME, 0, it_now(), NULL);
	stmlog_pause_self(self());
	tell(it_commits);
	tell(it_leaves); /* and all that it knew */
	tell(it_attaches);
	fake_clock_advance(9 * US);
	stmlog_pause_end(self());
	stmlog_commit(self());
	static const enum stmlog_reason reason[2] = {STMLOG_PAUSE, STMLOG_WAIT};
	for (size_t rank = 0; rank < 2; rank++) {
		struct stmlog_entry entry = entry_at(fixture_log, rank);
		assert_int_equal(entry.cause.reason, reason[rank]);
		assert_int_equal(entry.cause.contention, STMLOG_INEVITABLE);
		assert_int_equal(entry.lost_ns, rank == 0 ? 9 * US : 7 * US);
		assert_int_equal(tb_frame_site(entry.local).position, 1);
		assert_int_equal(tb_frame_site(entry.remote).position, 520);
	}
}

static void who_aborts_another_is_shown_to_it(void **state)
{
	(void)state;
	we_start();
	stmlog_wrote(self(), OBJECT);
	tell(it_starts);
	peer_do(&peer, it_has_us_abort, (void *)STMLOG_WRITE_MEETS_WRITE);
	fake_clock_advance(3 * US);
	stmlog_aborted_by(self(), it_now(), STMLOG_WRITE_READ, NULL); /* the letter knows better */
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

static void a_reader_aborted_by_a_writer_sees_where_that_wrote(void **state)
{
	(void)state;
	we_start();
	tell(it_starts);
	peer_do(&peer, it_writes_at, (void *)510);
	peer_do(&peer, it_has_us_abort, (void *)STMLOG_WRITE_MEETS_READ);
	stmlog_aborted_by(self(), nobody, STMLOG_WRITE_READ, NULL);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.contention, STMLOG_WRITE_READ);
	assert_ptr_equal(entry.local, TB_UNKNOWN);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(entry.grade, STMLOG_GRADE_CANDIDATE); /* the runtime did not say who */
	tell(it_commits);
}

static void who_tries_again_and_again_leaves_one_letter(void **state)
{
	(void)state;
	we_start();
	tell(it_starts);
	for (int i = 0; i < 3 * INBOX_LETTERS; i++)
		peer_do(&peer, it_has_us_abort, (void *)STMLOG_WRITE_MEETS_WRITE);
	unsigned letters = 0;
	for (int i = 0; i < INBOX_LETTERS; i++)
		letters += AO_load(&self()->inbox.letters[i].state) == LETTER_FULL;
	assert_int_equal(letters, 1);
	stmlog_aborted_by(self(), it_now(), STMLOG_WRITE_WRITE, NULL);
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 0).remote).position, 530);
	we_start(); /* another attempt is told again */
	peer_do(&peer, it_has_us_abort, (void *)STMLOG_WRITE_MEETS_WRITE);
	assert_true(inbox_has_mail(&self()->inbox));
	stmlog_commit(self());
	tell(it_commits);
}

static void a_letter_that_was_for_an_earlier_attempt_is_not_taken_for_this_one(void **state)
{
	(void)state;
	we_start();
	tell(it_starts);
	stmlog_abort_asked(self(), NULL); /* by itself, before it could see that it was to */
	peer_do(&peer, it_has_us_abort, (void *)STMLOG_WRITE_MEETS_WRITE);
	stmlog_retry(self());
	stmlog_aborted_by(self(), it_now(), STMLOG_WRITE_READ, "LATER");
	struct stmlog_entry entry = entry_at(fixture_log, 1);
	assert_string_equal(entry.cause.detail, "LATER");
	assert_unknown(&entry, 1);
	assert_false(inbox_has_mail(&self()->inbox));
	tell(it_commits);
}

static void letters_of_those_who_came_too_late_do_not_fill_the_inbox(void **state)
{
	(void)state;
	tell(it_starts);
	for (int i = 0; i < 3 * INBOX_LETTERS; i++) {
		we_start();
		peer_do(&peer, it_has_us_abort, (void *)STMLOG_WRITE_MEETS_WRITE);
		stmlog_commit(self()); /* was quicker */
	}
	we_start();
	peer_do(&peer, it_has_us_abort, (void *)STMLOG_WRITE_MEETS_WRITE);
	stmlog_aborted_by(self(), it_now(), STMLOG_WRITE_WRITE, NULL);
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 0).remote).position, 530);
	tell(it_commits);
}

static void a_thread_may_end_with_letters_that_it_never_read(void **state)
{
	(void)state;
	tell(it_starts);
	struct stmlog_other gone = it_now();
	stmlog_start(self());
	stmlog_contention(self(), STMLOG_WRITE_MEETS_WRITE, OBJECT, gone, NULL);
	for (int i = 0; i <= INBOX_LETTERS; i++)
		stmlog_abort_other(self());
	tell(it_leaves);
	stmlog_abort_other(self()); /* nobody is there any more; no mistake */
	stmlog_contention(self(), STMLOG_WRITE_MEETS_WRITE, OBJECT, gone, NULL);
	stmlog_commit(self());
	tell(it_attaches); /* by the same record: the letters are not for it */
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

static void a_forked_child_goes_on_without_the_letters_of_its_parent(void **state)
{
	(void)state;
	int status;
	we_start();
	tell(it_starts);
	peer_do(&peer, it_writes_at, (void *)510);
	peer_do(&peer, it_has_us_abort, (void *)STMLOG_WRITE_MEETS_WRITE);
	pid_t child = fork();
	if (child == 0)
		_exit(child_goes_on() ? 0 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	stmlog_aborted_by(self(), it_now(), STMLOG_WRITE_WRITE, NULL);
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 0).remote).position, 530);
	tell(it_commits);
}

/* ---- cascades ---- */

static void an_abort_by_one_that_aborts_too_was_for_nothing(void **state)
{
	(void)state;
	struct stmlog_totals totals;
	tell(it_starts);
	peer_do(&peer, it_writes_at, (void *)510);
	lose_to_its_write(it_now());
	tell(it_gives_up);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.count, 1);
	assert_int_equal(entry.wasted, 1);
	assert_int_equal(entry.wasted_ns, 5 * US);
	assert_int_equal(entry.undecided, 0);
	stmlog_timelog_totals(fixture_log, &totals);
	assert_int_equal(totals.wasted.count, 1);
	assert_int_equal(totals.wasted.lost_ns, 5 * US);
}

static void a_group_waits_for_the_verdict_across_transactions(void **state)
{
	(void)state;
	tell(it_starts);
	peer_do(&peer, it_writes_at, (void *)510);
	lose_to_its_write(it_now());
	stmlog_retry(self());
	stmlog_commit(self());
	stmlog_start(self());
	stmlog_commit(self());
	tell(it_gives_up);
	stmlog_start(self());
	stmlog_commit(self());
	assert_int_equal(entry_at(fixture_log, 0).wasted, 1);
}

static void an_abort_by_one_that_commits_was_not_for_nothing(void **state)
{
	(void)state;
	tell(it_starts);
	peer_do(&peer, it_writes_at, (void *)510);
	lose_to_its_write(it_now());
	tell(it_commits);
	tell(it_starts);
	tell(it_gives_up); /* another attempt of the same thread's */
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.wasted, 0);
	assert_int_equal(entry.undecided, 0);
}

static void an_abort_by_one_still_under_way_when_asked_is_undecided(void **state)
{
	(void)state;
	tell(it_starts);
	peer_do(&peer, it_writes_at, (void *)510);
	lose_to_its_write(it_now());
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.wasted, 0);
	assert_int_equal(entry.undecided, 1);
	tell(it_commits);
}

/* ---- cost ---- */

static void a_loss_that_no_timelog_keeps_takes_no_frame_for_the_other_side(void **state)
{
	(void)state;
	stmlog_timelog_clear(fixture_log);
	struct stmlog_thread *thread = self();
	tell(it_starts);
	peer_do(&peer, it_writes_at, (void *)510);
	lose_to_its_write(it_now());
	/* Pending, and a copy still: neither this thread's stack nor anybody's group has grown by frames. */
	size_t live = tb_live_frames();
	assert_ptr_equal(thread->ledger.pending.items[0].group.entry.remote, TB_UNKNOWN);
	assert_int_equal(thread->ledger.pending.items[0].remote.len, 2);
	tell(it_commits);
	assert_int_equal(stmlog_timelog_len(fixture_log), 1); /* kept by two timelogs: two frames each */
	assert_int_equal(tb_live_frames(), live + 4);
}

static void a_warm_thread_takes_no_memory_when_it_meets_another(void **state)
{
	(void)state;
	tell(it_starts);
	peer_do(&peer, it_writes_at, (void *)510);
	for (int i = 0; i < 3; i++)
		lose_to_its_write(it_now());
	size_t bytes = mem_live_bytes();
	for (int i = 0; i < 1000; i++)
		lose_to_its_write(it_now());
	assert_int_equal(mem_live_bytes(), bytes);
	assert_int_equal(entry_at(fixture_log, 0).count, 1003);
	tell(it_commits);
}

static void a_full_trail_makes_the_place_unknown_and_is_counted(void **state)
{
	(void)state;
	stmlog_start(self());
	for (uintptr_t i = 1; i <= STMLOG_WRITES; i++)
		stmlog_wrote(self(), OBJECT + 16 * i);
	assert_int_equal(AO_load(&self()->trails.unrecorded), 0);
	stmlog_wrote(self(), OBJECT);
	assert_int_equal(AO_load(&self()->trails.unrecorded), 1);
	stmlog_contention(self(), STMLOG_WRITE_MEETS_READ, OBJECT, nobody, NULL);
	stmlog_abort_self(self());
	assert_ptr_equal(entry_at(fixture_log, 0).local, TB_UNKNOWN);
}

/* ---- origins, and places that the runtime knows ---- */

static uint64_t origin;

static void it_takes_the_origin_at(void *place)
{
	tb_update(stmlog_thread_stack(it.thread), at((uintptr_t)place));
	origin = stmlog_origin(it.thread);
	tb_update(stmlog_thread_stack(it.thread), at(599));
}

/* A transaction that leaves a trail, so that the trails of earlier ones are gone after two of them. */
static void it_writes_elsewhere(void)
{
	tell(it_starts);
	peer_do(&peer, it_writes_at, (void *)590);
	tell(it_commits);
}

static void assert_by_its_write(void)
{
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(tb_depth(entry.remote), 2);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(tb_frame_site(tb_down(entry.remote)).position, 500);
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	assert_int_equal(entry.wasted + entry.undecided, 0);
	assert_int_equal(AO_load(&self()->tracebacks_unavailable), 0);
}

static void an_origin_shows_the_writer_however_long_ago_it_committed_and_after_its_thread_has_ended(void **state)
{
	(void)state;
	struct stmlog_origin_parts parts;
	tell(it_starts);
	peer_do(&peer, it_takes_the_origin_at, (void *)510);
	tell(it_commits);
	uint32_t writer = stmlog_thread_id(it.thread);
	assert_true(stmlog_origin_read(origin, &parts));
	assert_int_equal(parts.thread, writer);
	assert_int_equal(parts.attempt, it.attempt & STMLOG_ORIGIN_ATTEMPTS);
	for (int i = 0; i < 10; i++)
		it_writes_elsewhere();
	lose_to_its_write(stmlog_other_by(origin));
	assert_by_its_write();
	assert_int_equal(entry_at(fixture_log, 0).remote_thread, writer);
	tell(it_leaves);
	stmlog_timelog_clear(fixture_log);
	lose_to_its_write(stmlog_other_by(origin));
	assert_by_its_write();
	assert_int_equal(entry_at(fixture_log, 0).remote_thread, writer);
	tell(it_attaches);
}

static void an_attempt_that_was_aborted_by_an_origin_shows_it(void **state)
{
	(void)state;
	tell(it_starts);
	peer_do(&peer, it_takes_the_origin_at, (void *)510);
	stmlog_start(self());
	stmlog_aborted_by(self(), stmlog_other_by(origin), STMLOG_WRITE_WRITE, "KILLED");
	assert_by_its_write();
	assert_int_equal(entry_at(fixture_log, 0).cause.reason, STMLOG_ABORTED_BY_OTHER);
	tell(it_commits);
}

static void no_origin_is_nobody_and_that_of_another_session_is_counted(void **state)
{
	(void)state;
	struct stmlog_origin_parts parts;
	assert_false(stmlog_origin_read(0, &parts));
	lose_to_its_write(stmlog_other_by(0));
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_unknown(&entry, 0);
	tell(it_starts);
	peer_do(&peer, it_takes_the_origin_at, (void *)510);
	tell(it_commits);
	uint64_t other_session = origin ^ (uint64_t)1 << 62;
	assert_false(stmlog_origin_read(other_session, &parts));
	stmlog_timelog_clear(fixture_log);
	lose_to_its_write(stmlog_other_by(other_session));
	entry = entry_at(fixture_log, 0);
	assert_unknown(&entry, 1);
	assert_int_equal(entry.grade, STMLOG_GRADE_UNKNOWN);
	assert_int_equal(entry.remote_thread, 0);
}

static void the_same_place_in_two_threads_is_one_place(void **state)
{
	(void)state;
	struct stmlog_origin_parts mine, theirs;
	tell(it_starts);
	peer_do(&peer, it_takes_the_origin_at, (void *)510);
	tell(it_commits);
	const struct tb_site sites[] = {at(510), at(500)};
	struct tb_frame *traceback = tb_build(stmlog_thread_stack(self()), sites, 2, TB_EMPTY);
	uint64_t own = stmlog_origin_at(self(), traceback);
	tb_unref(stmlog_thread_stack(self()), traceback);
	assert_true(stmlog_origin_read(own, &mine) && stmlog_origin_read(origin, &theirs));
	assert_ptr_equal(mine.traceback, theirs.traceback);
	assert_int_equal(mine.thread, stmlog_thread_id(self()));
	assert_int_not_equal(mine.thread, theirs.thread);
}

static void a_runtime_that_knows_the_places_itself_has_them_shown(void **state)
{
	(void)state;
	struct tb_stack *stack = stmlog_thread_stack(self());
	const struct tb_site wrote = at(20), read = at(30);
	struct tb_frame *earlier = tb_build(stack, &wrote, 1, TB_EMPTY), *local = tb_build(stack, &read, 1, TB_EMPTY);
	stmlog_start(self());
	stmlog_wrote_at(self(), OBJECT, earlier);
	stmlog_contention(self(), STMLOG_WRITE_MEETS_READ, OBJECT, nobody, NULL);
	stmlog_abort_self(self());
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 0).local).position, 20);
	stmlog_timelog_clear(fixture_log);
	stmlog_start(self());
	stmlog_contention_at(self(), STMLOG_READ_MEETS_WRITE, local, OBJECT, nobody, NULL);
	stmlog_abort_self(self());
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 0).local).position, 30);
	tb_unref(stack, earlier);
	tb_unref(stack, local);
}

/* ---- conflicts that are found later, or half known ---- */

#define NEIGHBOUR (OBJECT + 8)

/* The origin of a read or write of this thread's at a place. */
static uint64_t origin_of_ours(uintptr_t place)
{
	tb_push(stmlog_thread_stack(self()), at(place));
	uint64_t own = stmlog_origin(self());
	tb_pop(stmlog_thread_stack(self()));
	return own;
}

static void we_write_at(uintptr_t place, uintptr_t object)
{
	tb_push(stmlog_thread_stack(self()), at(place));
	stmlog_wrote(self(), object);
	tb_pop(stmlog_thread_stack(self()));
}

static void a_write_found_in_conflict_later_shows_both_writes(void **state)
{
	(void)state;
	tell(it_starts);
	peer_do(&peer, it_writes_at, (void *)510);
	stmlog_start(self());
	we_write_at(2, OBJECT);
	stmlog_contention(self(), STMLOG_EARLIER_WRITE_MEETS_WRITE, OBJECT, it_now(), NULL);
	stmlog_abort_self(self());
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.contention, STMLOG_WRITE_WRITE);
	assert_int_equal(tb_frame_site(entry.local).position, 2);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	tell(it_commits);
}

static void a_read_found_in_conflict_later_shows_the_place_of_its_origin(void **state)
{
	(void)state;
	tell(it_starts);
	peer_do(&peer, it_writes_at, (void *)510);
	for (int i = 0; i < 2; i++) { /* the second time with the same frames */
		stmlog_start(self());
		uint64_t read = origin_of_ours(3);
		stmlog_contention_from(self(), STMLOG_EARLIER_READ_MEETS_WRITE, read, OBJECT, it_now(), NULL);
		stmlog_abort_self(self());
	}
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.count, 2);
	assert_int_equal(entry.cause.contention, STMLOG_WRITE_READ);
	assert_int_equal(tb_frame_site(entry.local).position, 3);
	assert_int_equal(tb_frame_site(tb_down(entry.local)).position, 1);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(AO_load(&self()->tracebacks_unavailable), 0);
	tell(it_commits);
}

static void an_origin_that_the_cache_has_lost_has_its_place_all_the_same(void **state)
{
	(void)state;
	stmlog_start(self());
	uint64_t read = origin_of_ours(3);
	for (uintptr_t place = 1000; place < 1000 + 2 * ORIGIN_SETS * ORIGIN_WAYS; place++)
		origin_of_ours(place);
	stmlog_contention_from(self(), STMLOG_EARLIER_READ_MEETS_WRITE, read, OBJECT, nobody, NULL);
	stmlog_abort_self(self());
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(tb_depth(entry.local), 2);
	assert_int_equal(tb_frame_site(entry.local).position, 3);
}

static void an_earlier_read_without_an_origin_is_unknown_and_a_lost_one_is_counted(void **state)
{
	(void)state;
	stmlog_start(self());
	stmlog_contention(self(), STMLOG_EARLIER_READ_MEETS_WRITE, OBJECT, nobody, NULL);
	stmlog_abort_self(self());
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_ptr_equal(entry.local, TB_UNKNOWN);
	assert_unknown(&entry, 0);
	stmlog_start(self());
	stmlog_contention_from(self(), STMLOG_EARLIER_READ_MEETS_WRITE, 0, OBJECT, nobody, NULL);
	stmlog_abort_self(self());
	entry = entry_at(fixture_log, 0);
	assert_ptr_equal(entry.local, TB_UNKNOWN);
	assert_unknown(&entry, 1);
}

static void data_of_which_the_other_has_no_write_is_unknown_and_no_loss_of_ours(void **state)
{
	(void)state;
	tell(it_starts);
	peer_do(&peer, it_writes_at, (void *)510);
	for (int i = 0; i < 2; i++) {
		stmlog_start(self());
		fake_clock_advance(i == 0 ? 2 * US : 1 * US);
		stmlog_contention(self(), STMLOG_ACCESS_MEETS_ACCESS, i == 0 ? OBJECT : NEIGHBOUR, it_now(), "HTM");
		stmlog_abort_self(self());
	}
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.contention, STMLOG_DATA);
	assert_int_equal(tb_frame_site(entry.local).position, 1);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	entry = entry_at(fixture_log, 1);
	assert_int_equal(entry.cause.contention, STMLOG_DATA);
	assert_unknown(&entry, 0);
	assert_int_equal(entry.remote_thread, stmlog_thread_id(it.thread));
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	tell(it_commits);
}

static void a_victim_of_data_may_have_read(void **state)
{
	(void)state;
	we_start();
	tell(it_starts);
	peer_do(&peer, it_has_us_abort, (void *)STMLOG_ACCESS_MEETS_ACCESS);
	stmlog_aborted_by(self(), it_now(), STMLOG_DATA, NULL);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.reason, STMLOG_ABORTED_BY_OTHER);
	assert_int_equal(entry.cause.contention, STMLOG_DATA);
	assert_ptr_equal(entry.local, TB_UNKNOWN);
	assert_int_equal(tb_frame_site(entry.remote).position, 530);
	assert_int_equal(AO_load(&self()->tracebacks_unavailable), 0);
	tell(it_commits);
}

/* ---- overlap ---- */

static void false_conflicts_are_counted_and_show_both_objects(void **state)
{
	(void)state;
	static const enum stmlog_overlap overlaps[] = {
		STMLOG_OVERLAP_SAME, STMLOG_OVERLAP_STRIPE, STMLOG_OVERLAP_ALIAS, STMLOG_OVERLAP_UNKNOWN};
	tell(it_starts);
	peer_do(&peer, it_writes_at, (void *)510);
	for (int i = 0; i < 4; i++) {
		stmlog_start(self());
		stmlog_contention(self(), STMLOG_WRITE_MEETS_WRITE, NEIGHBOUR, it_now(), NULL);
		stmlog_contention_overlap(self(), overlaps[i], OBJECT);
		stmlog_abort_self(self());
	}
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.count, 4);
	assert_int_equal(entry.false_conflicts, 2);
	assert_int_equal(entry.false_aliases, 1);
	assert_int_equal(entry.objects[0].address, NEIGHBOUR);
	assert_int_equal(entry.objects[0].other, OBJECT);
	/* The other one has no write of this thread's object, but one of its own. */
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(entry.certain, 4);
	assert_int_equal(AO_load(&self()->tracebacks_unavailable), 0);
	tell(it_commits);
}

static void an_overlap_belongs_to_one_conflict(void **state)
{
	(void)state;
	stmlog_start(self());
	stmlog_contention(self(), STMLOG_WRITE_MEETS_WRITE, OBJECT, nobody, NULL);
	stmlog_contention_overlap(self(), STMLOG_OVERLAP_ALIAS, NEIGHBOUR);
	stmlog_contention(self(), STMLOG_WRITE_MEETS_WRITE, OBJECT, nobody, NULL);
	stmlog_pause_self(self());
	fake_clock_advance(US);
	stmlog_pause_end(self());
	stmlog_contention_overlap(self(), STMLOG_OVERLAP_STRIPE, NEIGHBOUR);
	stmlog_abort_self(self());
	for (size_t rank = 0; rank < 2; rank++) {
		struct stmlog_entry entry = entry_at(fixture_log, rank);
		bool is_pause = entry.cause.reason == STMLOG_PAUSE;
		assert_int_equal(entry.false_conflicts, is_pause ? 0 : 1);
		assert_int_equal(entry.objects[0].other, is_pause ? 0 : NEIGHBOUR);
	}
}

static void an_overlap_finds_no_write_where_there_is_none(void **state)
{
	(void)state;
	tell(it_starts);
	stmlog_start(self());
	stmlog_contention(self(), STMLOG_WRITE_MEETS_WRITE, OBJECT, it_now(), NULL);
	stmlog_contention_overlap(self(), STMLOG_OVERLAP_ALIAS, NEIGHBOUR);
	stmlog_abort_self(self());
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_unknown(&entry, 1);
	assert_int_equal(entry.false_conflicts, 1);
	tell(it_commits);
}

static void it_has_us_abort_over_its_neighbour(void *unused)
{
	(void)unused;
	stmlog_contention(it.thread, STMLOG_WRITE_MEETS_WRITE, NEIGHBOUR, it.target, "WANTED");
	stmlog_contention_overlap(it.thread, STMLOG_OVERLAP_STRIPE, OBJECT);
	stmlog_abort_other(it.thread);
}

static void a_letter_has_the_overlap_and_the_objects_from_the_other_side(void **state)
{
	(void)state;
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

/* ---- mistakes ---- */

static void mistakes_change_nothing_and_are_counted(void **state)
{
	(void)state;
	size_t before = misuse_total();
	struct stmlog_thread *thread = self();
	stmlog_wrote(thread, OBJECT);
	stmlog_became_inevitable(thread);
	stmlog_contention(thread, STMLOG_WRITE_MEETS_WRITE, OBJECT, nobody, NULL);
	stmlog_abort_self(thread);
	stmlog_abort_other(thread);
	stmlog_aborted_by(thread, nobody, STMLOG_WRITE_WRITE, NULL);
	stmlog_abort_asked(thread, NULL);
	stmlog_pause_self(thread);
	assert_int_equal(misuse_total(), before + 8); /* no attempt is under way */
	stmlog_start(thread);
	stmlog_abort_self(thread);
	stmlog_pause_self(thread);
	assert_int_equal(misuse_total(), before + 10); /* nothing was met */
	stmlog_wrote(thread, 0);
	stmlog_wrote_at(thread, 0, TB_UNKNOWN);
	assert_int_equal(misuse_total(), before + 12); /* no object */
	before += 2;
	stmlog_contention(thread, STMLOG_CONFLICTS, OBJECT, nobody, NULL);
	stmlog_aborted_by(thread, nobody, STMLOG_INEVITABLE, NULL);
	stmlog_aborted_by(thread, nobody, STMLOG_NONE, NULL);
	stmlog_contention(thread, STMLOG_INEVITABLE_MEETS_SAME, 0, nobody, NULL);
	stmlog_abort_other(thread);
	assert_int_equal(misuse_total(), before + 14); /* what does not exist, and who cannot be aborted */
	stmlog_pause_self(thread);
	stmlog_contention(thread, STMLOG_WRITE_MEETS_WRITE, OBJECT, nobody, NULL);
	stmlog_wait_inevitable(thread, nobody, NULL);
	stmlog_wait_segment(thread);
	assert_int_equal(misuse_total(), before + 17); /* it stands still */
	stmlog_pause_end(thread);
	stmlog_commit(thread);
	stmlog_start(thread);
	stmlog_abort_self(thread); /* what was met, was in an earlier attempt */
	assert_int_equal(misuse_total(), before + 18);
	stmlog_commit(thread);
	assert_int_equal(stmlog_origin(thread), 0);
	assert_int_equal(stmlog_origin_here(thread, at(1)), 0);
	stmlog_wrote_at(thread, OBJECT, TB_UNKNOWN);
	stmlog_contention_at(thread, STMLOG_WRITE_MEETS_WRITE, TB_UNKNOWN, OBJECT, nobody, NULL);
	assert_int_equal(misuse_total(), before + 22);
	assert_int_equal(stmlog_timelog_len(fixture_log), 1); /* the pause, which was none */
}

static void an_overlap_without_a_conflict_is_a_mistake(void **state)
{
	(void)state;
	size_t before = misuse_total();
	stmlog_contention_overlap(self(), STMLOG_OVERLAP_SAME, 0);
	stmlog_contention_from(self(), STMLOG_EARLIER_READ_MEETS_WRITE, 0, OBJECT, nobody, NULL);
	stmlog_start(self());
	stmlog_contention_overlap(self(), STMLOG_OVERLAP_SAME, 0);
	stmlog_contention(self(), STMLOG_WRITE_MEETS_WRITE, OBJECT, nobody, NULL);
	stmlog_contention_overlap(self(), (enum stmlog_overlap)(STMLOG_OVERLAP_ALIAS + 1), 0);
	assert_int_equal(misuse_total(), before + 4);
	stmlog_commit(self());
}

static void object_0_is_no_object_to_write(void **state)
{
	(void)state;
	size_t before = misuse_total();
	stmlog_start(self());
	stmlog_wrote(self(), 0);
	stmlog_wrote_at(self(), 0, TB_EMPTY);
	assert_int_equal(misuse_total(), before + 2);
	stmlog_contention(self(), STMLOG_WRITE_MEETS_READ, 0, nobody, NULL);
	assert_ptr_equal(self()->conflict.loss.local, TB_UNKNOWN);
	stmlog_commit(self());
}

static void every_hook_takes_no_thread_for_an_answer(void **state)
{
	(void)state;
	assert_int_equal(stmlog_attempt(NULL), 0);
	assert_int_equal(stmlog_origin(NULL) + stmlog_origin_here(NULL, at(1)) + stmlog_origin_at(NULL, TB_UNKNOWN), 0);
	stmlog_wrote(NULL, OBJECT);
	stmlog_wrote_at(NULL, OBJECT, TB_UNKNOWN);
	stmlog_contention_at(NULL, STMLOG_WRITE_MEETS_WRITE, TB_UNKNOWN, OBJECT, nobody, NULL);
	stmlog_contention_from(NULL, STMLOG_EARLIER_READ_MEETS_WRITE, 1, OBJECT, nobody, NULL);
	stmlog_contention_overlap(NULL, STMLOG_OVERLAP_SAME, 0);
	stmlog_became_inevitable(NULL);
	stmlog_contention(NULL, STMLOG_WRITE_MEETS_WRITE, OBJECT, nobody, NULL);
	stmlog_abort_self(NULL);
	stmlog_abort_other(NULL);
	stmlog_aborted_by(NULL, nobody, STMLOG_WRITE_WRITE, NULL);
	stmlog_abort_asked(NULL, NULL);
	stmlog_pause_self(NULL);
	stmlog_wait_segment(NULL);
	stmlog_wait_inevitable(NULL, nobody, NULL);
	assert_int_equal(stmlog_timelog_len(fixture_log), 0);
}

#define CONTENTION_TEST(claim) cmocka_unit_test_setup_teardown(claim, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONTENTION_TEST(the_other_is_shown_where_it_wrote_and_not_where_it_is),
		CONTENTION_TEST(a_clone_outlives_the_thread_that_it_is_of),
		CONTENTION_TEST(an_attempt_that_has_ended_is_still_known_and_one_long_over_is_unknown_and_counted),
		CONTENTION_TEST(without_a_number_the_attempt_under_way_is_a_candidate),
		CONTENTION_TEST(a_reader_that_is_in_no_attempt_is_nobody),
		CONTENTION_TEST(what_the_runtime_does_not_know_is_unknown_and_no_loss_of_ours),
		CONTENTION_TEST(a_writer_met_by_a_reader_shows_its_earlier_write),
		CONTENTION_TEST(
			pauses_and_waits_for_an_inevitable_one_show_where_it_became_so_although_it_is_gone_after),
		CONTENTION_TEST(who_aborts_another_is_shown_to_it),
		CONTENTION_TEST(a_reader_aborted_by_a_writer_sees_where_that_wrote),
		CONTENTION_TEST(who_tries_again_and_again_leaves_one_letter),
		CONTENTION_TEST(a_letter_that_was_for_an_earlier_attempt_is_not_taken_for_this_one),
		CONTENTION_TEST(letters_of_those_who_came_too_late_do_not_fill_the_inbox),
		CONTENTION_TEST(a_thread_may_end_with_letters_that_it_never_read),
		CONTENTION_TEST(a_forked_child_goes_on_without_the_letters_of_its_parent),
		CONTENTION_TEST(an_abort_by_one_that_aborts_too_was_for_nothing),
		CONTENTION_TEST(a_group_waits_for_the_verdict_across_transactions),
		CONTENTION_TEST(an_abort_by_one_that_commits_was_not_for_nothing),
		CONTENTION_TEST(an_abort_by_one_still_under_way_when_asked_is_undecided),
		CONTENTION_TEST(a_loss_that_no_timelog_keeps_takes_no_frame_for_the_other_side),
		CONTENTION_TEST(a_warm_thread_takes_no_memory_when_it_meets_another),
		CONTENTION_TEST(a_full_trail_makes_the_place_unknown_and_is_counted),
		CONTENTION_TEST(
			an_origin_shows_the_writer_however_long_ago_it_committed_and_after_its_thread_has_ended),
		CONTENTION_TEST(an_attempt_that_was_aborted_by_an_origin_shows_it),
		CONTENTION_TEST(no_origin_is_nobody_and_that_of_another_session_is_counted),
		CONTENTION_TEST(the_same_place_in_two_threads_is_one_place),
		CONTENTION_TEST(a_runtime_that_knows_the_places_itself_has_them_shown),
		CONTENTION_TEST(a_write_found_in_conflict_later_shows_both_writes),
		CONTENTION_TEST(a_read_found_in_conflict_later_shows_the_place_of_its_origin),
		CONTENTION_TEST(an_origin_that_the_cache_has_lost_has_its_place_all_the_same),
		CONTENTION_TEST(an_earlier_read_without_an_origin_is_unknown_and_a_lost_one_is_counted),
		CONTENTION_TEST(data_of_which_the_other_has_no_write_is_unknown_and_no_loss_of_ours),
		CONTENTION_TEST(a_victim_of_data_may_have_read),
		CONTENTION_TEST(false_conflicts_are_counted_and_show_both_objects),
		CONTENTION_TEST(an_overlap_belongs_to_one_conflict),
		CONTENTION_TEST(an_overlap_finds_no_write_where_there_is_none),
		CONTENTION_TEST(a_letter_has_the_overlap_and_the_objects_from_the_other_side),
		CONTENTION_TEST(an_overlap_without_a_conflict_is_a_mistake),
		CONTENTION_TEST(mistakes_change_nothing_and_are_counted),
		CONTENTION_TEST(object_0_is_no_object_to_write),
		CONTENTION_TEST(every_hook_takes_no_thread_for_an_answer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
