/* SPDX-License-Identifier: MIT
 * Time off the processor: which state it is taken from, on a fake clock. The word by which the kernel tells is the
 * test's own. How long the thread was off the processor the kernel tells: the thread really sleeps for some
 * milliseconds, while the fake clock moves by a second. */
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "losses.h"
#include "off_processor.h"
#include "session_fixture.h"
#include "test.h"

#define SECOND (1000 * (uint64_t)MS)

static volatile uint64_t word;

static struct stmlog_thread *me(void)
{
	return stmlog_thread_self();
}

/* Hooks of the handle look at the test's word. */
static void look_at_word(struct stmlog_thread *thread)
{
	if (interruption_place() == INTERRUPTION_NONE)
		skip(); /* valgrind and old systems have no restartable sequences */
	off_processor_watch(thread);
	thread->notice_place = (char *)&word - (char *)__builtin_thread_pointer();
}

static struct stmlog_account account_of(const struct stmlog_thread *thread)
{
	struct stmlog_account account;
	assert_no_residual(thread);
	stmlog_account_read(thread, &account);
	return account;
}

static struct stmlog_account account(void)
{
	return account_of(me());
}

static uint64_t on_processor_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return clock_ns_of(now);
}

/* Time off the processor, since any time in the past: no more, or no less, than it was at any moment of the call. */
static uint64_t min_off_ns(void)
{
	uint64_t now_ns = clock_monotonic_ns();
	return now_ns - on_processor_ns();
}

static uint64_t max_off_ns(void)
{
	uint64_t on_ns = on_processor_ns();
	return clock_monotonic_ns() - on_ns;
}

/* Returns a time for which the thread was off the processor, less what reading clocks takes. The kernel does not tell
 * of it by the word. */
static uint64_t sleep_unnoticed(void)
{
	struct timespec left = {.tv_nsec = 2 * (long)MS};
	uint64_t before_ns = max_off_ns();
	nanosleep(&left, NULL);
	fake_clock_advance(SECOND);
	return (min_off_ns() - before_ns) / 2;
}

static uint64_t sleep_noticed(void)
{
	uint64_t slept_ns = sleep_unnoticed();
	word = 0;
	return slept_ns;
}

static void begin_pause(void)
{
	const struct stmlog_loss loss = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, "WORD");
	stmlog_wait_begin(me(), &loss);
}

static void lose_it(void)
{
	const struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "WORD");
	stmlog_abort(me(), &loss);
}

/* ---- claims ---- */

TEST_WITH(session_fixture, time_off_in_an_attempt_is_no_part_of_its_loss)
{
	look_at_word(me());
	stmlog_start(me());
	uint64_t slept_ns = sleep_noticed();
	lose_it();
	assert_int_equal(account().descheduled, 1);
	assert_in_range(account().descheduled_ns, slept_ns, SECOND - 1);
	assert_int_equal(account().aborted_ns[STMLOG_WRITE_WRITE] + account().descheduled_ns, SECOND);
	assert_int_equal(entry_at(fixture_log, 0).lost_ns, account().aborted_ns[STMLOG_WRITE_WRITE]);
	assert_int_equal(entry_at(fixture_log, 0).descheduled_ns, account().descheduled_ns);
}

TEST_WITH(session_fixture, time_off_in_an_attempt_that_commits_is_told_apart)
{
	look_at_word(me());
	stmlog_start(me());
	uint64_t slept_ns = sleep_noticed();
	stmlog_commit(me());
	assert_in_range(account().descheduled_ns, slept_ns, SECOND - 1);
	assert_int_equal(account().committed_ns + account().descheduled_ns, SECOND);
}

TEST_WITH(session_fixture, time_off_that_the_kernel_does_not_tell_of_is_not_looked_for)
{
	look_at_word(me());
	stmlog_start(me());
	word = 1;
	sleep_unnoticed();
	stmlog_commit(me());
	assert_int_equal(account().descheduled, 0);
	assert_int_equal(account().committed_ns, SECOND);
}

TEST_WITH(session_fixture, time_off_outside_of_transactions_is_outside)
{
	look_at_word(me());
	stmlog_start(me());
	stmlog_commit(me());
	sleep_noticed();
	stmlog_start(me());
	stmlog_commit(me());
	assert_int_equal(account().descheduled_ns, 0);
	assert_int_equal(account().outside_ns, SECOND);
}

TEST_WITH(session_fixture, time_off_is_moved_once)
{
	look_at_word(me());
	uint64_t before_ns = min_off_ns();
	stmlog_start(me());
	uint64_t slept_ns = sleep_noticed();
	lose_it();
	stmlog_retry(me());
	fake_clock_advance(SECOND);
	word = 0; /* by a signal handler, say */
	stmlog_commit(me());
	assert_true(account().descheduled_ns < max_off_ns() - before_ns + slept_ns);
}

TEST_WITH(session_fixture, a_pause_that_sleeps_is_a_pause)
{
	look_at_word(me());
	stmlog_start(me());
	begin_pause();
	sleep_noticed();
	stmlog_wait_end(me());
	stmlog_commit(me());
	assert_int_equal(account().descheduled_ns, 0);
	assert_int_equal(account().paused_ns, SECOND);
}

TEST_WITH(session_fixture, time_off_before_a_pause_is_not_the_pauses)
{
	look_at_word(me());
	stmlog_start(me());
	uint64_t slept_ns = sleep_noticed();
	begin_pause();
	fake_clock_advance(MS);
	stmlog_wait_end(me());
	assert_int_equal(entry_at(fixture_log, 0).descheduled_ns, 0);
	lose_it();
	assert_in_range(account().descheduled_ns, slept_ns, SECOND - 1);
	assert_int_equal(entry_at(fixture_log, 0).descheduled_ns, account().descheduled_ns);
	assert_int_equal(account().paused_ns, MS);
}

TEST_WITH(session_fixture, sleep_that_is_reported_as_a_wait_is_the_wait)
{
	const struct stmlog_loss loss = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, "WORD");
	look_at_word(me());
	stmlog_start(me());
	sleep_noticed();
	stmlog_waited(me(), &loss, SECOND / 2);
	stmlog_commit(me());
	assert_int_equal(account().paused_ns, SECOND / 2);
	assert_int_equal(account().descheduled_ns, 0);
}

TEST_WITH(session_fixture, a_transaction_that_is_blocked_is_not_descheduled)
{
	look_at_word(me());
	stmlog_start(me());
	abort_asked(me(), "RETRY");
	wait_blocked(me());
	sleep_noticed();
	stmlog_wait_end(me());
	stmlog_retry(me());
	stmlog_commit(me());
	assert_int_equal(account().descheduled_ns, 0);
	assert_int_equal(account().blocked_ns, SECOND);
}

TEST_WITH(session_fixture, an_old_reading_is_renewed_when_a_transaction_starts)
{
	look_at_word(me());
	stmlog_start(me());
	stmlog_commit(me());
	word = 1;
	uint64_t slept_ns = sleep_unnoticed(); /* in place of the time of many interrupts */
	uint64_t before_ns = min_off_ns();
	stmlog_start(me());
	fake_clock_advance(SECOND);
	word = 0;
	stmlog_commit(me());
	assert_true(account().descheduled_ns < max_off_ns() - before_ns + slept_ns);
}

TEST_WITH(session_fixture, a_lane_is_looked_at_while_it_is_claimed)
{
	look_at_word(me()); /* or skip */
	struct stmlog_thread *lane = stmlog_thread_open("lane");
	look_at_word(lane);
	stmlog_claim(lane);
	stmlog_start(lane);
	uint64_t slept_ns = sleep_noticed();
	stmlog_release(lane);
	uint64_t moved_ns = account_of(lane).descheduled_ns;
	assert_in_range(moved_ns, slept_ns, SECOND - 1);
	sleep_noticed(); /* the lane does not run */
	stmlog_claim(lane);
	stmlog_commit(lane);
	assert_int_equal(account_of(lane).descheduled_ns, moved_ns);
	assert_int_equal(account_of(lane).committed_ns + moved_ns, SECOND);
	stmlog_thread_close(&lane);
}

TEST_WITH(session_fixture, a_runtime_that_reports_it_is_not_looked_at)
{
	look_at_word(me());
	stmlog_start(me());
	sleep_noticed();
	stmlog_descheduled(me(), MS, 0);
	stmlog_commit(me());
	sleep_noticed();
	stmlog_start(me());
	sleep_noticed();
	stmlog_commit(me());
	assert_int_equal(account().descheduled_ns, MS);
}

TEST_WITH(session_fixture, a_runtime_that_looks_itself_gets_the_threads_own_word)
{
	look_at_word(me());
	volatile uint64_t *own = stmlog_interruption_word(me());
	assert_ptr_equal(own, interruption_word(interruption_place()));
	struct stmlog_moment before = stmlog_interruption_look(own);
	uint64_t slept_ns = sleep_unnoticed();
	assert_int_equal(*own, 0);
	struct stmlog_moment behind = stmlog_interruption_look(own);
	assert_true(behind.off_ns - before.off_ns >= slept_ns);
	assert_true(behind.sleeps > before.sleeps);
	stmlog_start(me());
	sleep_noticed();
	stmlog_commit(me());
	assert_int_equal(account().descheduled, 0);
	stmlog_interruption_end(own);
	assert_int_equal(*own, 0);
}

/* ---- unmeasured attempts ---- */

static void skip_without_word(void)
{
	if (interruption_place() == INTERRUPTION_NONE)
		skip();
}

/* From here on the kernel tells by the thread's own word, and its clock is the library's. */
static void look_at_own_word(void)
{
	clock_use(NULL);
	(void)stmlog_off_processor_ns(NULL);
}

TEST_WITH(session_fixture, time_off_that_a_runtime_asks_for_is_found_once)
{
	skip_without_word();
	uint64_t before_ns = min_off_ns();
	look_at_own_word();
	uint64_t slept_ns = sleep_unnoticed();
	uint64_t off_ns = stmlog_off_processor_ns(me());
	assert_true(off_ns >= slept_ns);
	assert_int_equal(account().descheduled, 0);                    /* it has slept */
	interruption_unwatch(interruption_word(interruption_place())); /* as a signal handler does */
	assert_true(off_ns + stmlog_off_processor_ns(me()) <= max_off_ns() - before_ns);
}

/* The thread and a child that computes share a processor. The child ends with the test, however that ends. */
static pid_t share_a_processor(void)
{
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	pid_t child = fork();
	if (child == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (child == 0)
		;
	return child;
}

TEST_WITH(session_fixture, time_off_that_a_runtime_asks_for_is_descheduled_unless_the_thread_has_slept)
{
	cpu_set_t before;
	skip_without_word();
	assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
	pid_t child = share_a_processor();
	look_at_own_word();
	stmlog_start(me());
	stmlog_commit(me());
	for (uint64_t before_ns = max_off_ns(); min_off_ns() < before_ns + MS;)
		sched_yield();
	uint64_t off_ns = stmlog_off_processor_ns(me());
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	sched_setaffinity(0, sizeof before, &before);
	assert_true(off_ns != 0);
	assert_int_equal(account().descheduled_ns, off_ns);
}

static bool is_child_told_apart(void)
{
	stmlog_start(me());
	fake_clock_advance(SECOND);
	word = 0;
	stmlog_commit(me());
	return account().descheduled_ns == 0;
}

/* The child's time on the processor begins with 0: it would seem to have been off for as long as the parent ran. */
TEST_WITH(session_fixture, a_forked_child_was_not_off_the_processor_while_its_parent_ran)
{
	look_at_word(me());
	struct timespec on_processor = {.tv_sec = 0};
	while (on_processor.tv_nsec < 10 * (long)MS && on_processor.tv_sec == 0)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &on_processor);
	stmlog_start(me());
	stmlog_commit(me());
	pid_t child = fork();
	if (child == 0)
		_exit(is_child_told_apart() ? 0 : 1);
	assert_child_succeeds(child);
}

TEST_WITH(session_fixture, the_times_of_another_clock_are_not_compared)
{
	assert_int_equal(me()->notice_place, INTERRUPTION_NONE);
	assert_false(off_processor_is_known());
	assert_int_equal(stmlog_off_processor_ns(me()), 0);
}

enum { STOPPED = 16 }; /* readings, as in off_processor.c */

/* The last call of a reading: each reading is interrupted. */
static uint64_t interrupted_clock(void)
{
	word = 0;
	return clock_monotonic_ns();
}

/* Makes a reading at the start, and one at the commit. Returns whether hooks of the thread still look at its word. */
static bool looks_after(int transactions)
{
	for (int i = 0; i < transactions; i++) {
		stmlog_start(me());
		stmlog_commit(me());
	}
	return me()->notice_place != INTERRUPTION_NONE;
}

/* The last test, because no thread of the process looks any more afterwards. */
TEST(threads_look_no_more_only_after_many_interrupted_readings_in_a_row)
{
	stmlog_set_clock(interrupted_clock);
	assert_int_equal(stmlog_open(&(struct stmlog_setup){.report = "none"}), 0);
	assert_non_null(stmlog_thread_open(NULL));
	look_at_word(me());
	bool looks_after_all = looks_after(STOPPED / 2), looks_after_more = looks_after(1);
	stmlog_close();
	stmlog_set_clock(NULL);
	assert_true(looks_after_all);
	assert_false(looks_after_more);
}
