/* SPDX-License-Identifier: MIT
 * The library as a process sees it: opening, threads that come and go, fork, memory that runs out. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stmlog/timeline.h>

#include "capture_stderr.h"
#include "clock.h"
#include "losses.h"
#include "mem.h"
#include "peer.h"
#include "registry.h"
#include "runtimes.h"
#include "session.h"
#include "session_fixture.h"
#include "child.h"
#include "test.h"

static const struct stmlog_setup quiet = {.runtime = "test", .report = "none"};

/* One transaction that aborts once, on the calling thread's own account and with frames of its own. */
static void transact(void)
{
	struct stmlog_thread *me = stmlog_thread_open(NULL);
	struct tb_stack *stack = stmlog_thread_stack(me);
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	if (me == NULL)
		return;
	stmlog_start(me);
	tb_push(stack, tb_site_make(7, 7));
	loss.local = tb_current(stack);
	fake_clock_advance(10);
	stmlog_abort(me, &loss);
	stmlog_retry(me);
	tb_pop(stack);
	stmlog_commit(me);
}

static void *transact_once(void *arg)
{
	transact();
	return arg;
}

/* The sums over all threads as the report shows them. */
static struct stmlog_cost recorded_in_all(void)
{
	registry_lock();
	struct stmlog_cost sum = timelog_recorded(registry.retired);
	registry_unlock();
	return sum;
}

TEST(closed_means_no_handle_and_no_harm)
{
	assert_null(stmlog_thread_open(NULL));
	assert_null(stmlog_thread_self());
	assert_int_equal(stmlog_thread_id(NULL), 0);
	assert_null(stmlog_thread_stack(NULL));
	close_own();
	stmlog_flush();
	stmlog_close();
	transact();
}

/* One that is bound to one processor has one, however many the machine has. */
TEST(processors_are_those_the_process_may_use)
{
	cpu_set_t all, one;
	assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
	assert_int_equal(stmlog_open(&quiet), 0);
	assert_int_equal(stmlog_processors(), CPU_COUNT(&all));
	stmlog_close();
	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	assert_int_equal(stmlog_open(&quiet), 0);
	assert_int_equal(stmlog_processors(), 1);
	stmlog_close();
	assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

TEST(a_fork_after_closing_does_no_harm)
{
	assert_int_equal(stmlog_open(&quiet), 0);
	transact();
	stmlog_close();
	if (in_forked_child())
		_exit(stmlog_open(&quiet) == 0 ? 0 : 1);
}

TEST(an_origin_is_not_known_from_the_close_on)
{
	struct stmlog_origin_parts parts;
	assert_int_equal(stmlog_open(&quiet), 0);
	struct stmlog_thread *me = stmlog_thread_open(NULL);
	stmlog_start(me);
	uint64_t origin = stmlog_origin(me, TB_HERE());
	stmlog_commit(me);
	assert_true(stmlog_origin_read(origin, &parts));
	stmlog_close();
	assert_false(stmlog_origin_read(origin, &parts));
	assert_int_equal(parts.thread, 0);
	assert_null(parts.traceback);
	assert_int_equal(stmlog_open(&quiet), 0);
	assert_false(stmlog_origin_read(origin, &parts));
	stmlog_close();
}

/* A thread that could not attach has none, and a timelog may not have been created for want of memory. */
TEST(a_handle_may_be_missing)
{
	struct stmlog_account account;
	struct stmlog_totals totals;
	struct stmlog_entry entry;
	struct stmlog_timeline_fault fault;
	struct stmlog_timelog *log = NULL;
	struct stmlog_timeline *timeline = NULL;
	struct stmlog_cursor cursor = stmlog_timelog_cursor(NULL);
	stmlog_account_read(NULL, &account);
	assert_int_equal(account.attached_ns, 0);
	assert_int_equal(account.commits, 0);
	stmlog_read_unmeasured_by(NULL, NULL, NULL);
	stmlog_count_unavailable_traceback(NULL);
	stmlog_timelog_activate(NULL);
	stmlog_timelog_deactivate(NULL);
	stmlog_timelog_clear(NULL);
	stmlog_timelog_destroy(&log);
	assert_null(stmlog_timelog_take(NULL));
	assert_null(stmlog_timelog_snapshot_remote(NULL));
	assert_int_equal(stmlog_timelog_capacity(NULL), 0);
	assert_int_equal(stmlog_timelog_len(NULL), 0);
	stmlog_timelog_totals(NULL, &totals);
	assert_int_equal(totals.evicted.count, 0);
	assert_int_equal(stmlog_cursor_next(&cursor, &entry), STMLOG_NEXT_END);
	stmlog_timeline_destroy(&timeline);
	assert_true(stmlog_timeline_check(NULL, &fault));
	assert_int_equal(stmlog_timeline_next_of(NULL, 0, 1), 0);
}

TEST(a_report_of_a_closed_session_is_refused)
{
	assert_int_equal(stmlog_report(STDERR_FILENO), -EINVAL);
	assert_int_equal(stmlog_record("/dev/null"), -EINVAL);
}

TEST(a_program_with_other_headers_is_refused_and_told)
{
	char told[512];
	capture_stderr_begin();
	assert_int_equal(stmlog_open_abi(&quiet, sizeof quiet, STMLOG_ABI - 1), -EPROTO);
	capture_stderr_end(told, sizeof told);
	assert_non_null(strstr(told, "compiled with headers of another library"));
	assert_ptr_equal(strchr(told, '\n'), told + strlen(told) - 1);
	assert_null(stmlog_thread_open(NULL));
	assert_int_equal(stmlog_open(&quiet), 0);
	stmlog_close();
}

static bool must_not_be_called(uintptr_t object, struct stmlog_block *block, void *arg)
{
	(void)object;
	(void)block;
	(void)arg;
	fail();
	return false;
}

/* As of a program that was compiled before the setup had its last members. */
TEST(what_a_shorter_setup_lacks_is_missing)
{
	struct stmlog_setup setup = quiet;
	setup.find_block = must_not_be_called;
	assert_int_equal(stmlog_open_abi(&setup, offsetof(struct stmlog_setup, report), STMLOG_ABI), 0);
	assert_string_equal(runtimes[0].name, "test");
	assert_false(runtimes_find_blocks());
	assert_null(session.report);
	stmlog_close();
}

TEST(it_opens_once_and_again_after_closing)
{
	for (int i = 0; i < 3; i++) {
		assert_int_equal(stmlog_open(&quiet), 0);
		assert_int_equal(stmlog_open(&quiet), -EALREADY);
		assert_non_null(stmlog_thread_open(NULL));
		assert_ptr_equal(stmlog_thread_open(NULL), stmlog_thread_self());
		transact();
		stmlog_close();
		assert_null(stmlog_thread_self());
		assert_int_equal(tb_live_frames(), 0);
		assert_int_equal(mem_live_bytes(), 0);
	}
}

static pthread_barrier_t meeting;

static void *stay_attached(void *arg)
{
	stmlog_thread_open(NULL);
	pthread_barrier_wait(&meeting);
	pthread_barrier_wait(&meeting);
	return arg;
}

/* The thread's data stay, and so its number cannot be given again. */
TEST(it_opens_again_when_the_last_thread_has_gone)
{
	pthread_t thread;
	assert_int_equal(stmlog_open(&quiet), 0);
	pthread_barrier_init(&meeting, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, stay_attached, NULL), 0);
	pthread_barrier_wait(&meeting);
	stmlog_close();
	assert_int_equal(stmlog_open(&quiet), -EBUSY);
	assert_null(stmlog_thread_open(NULL));
	pthread_barrier_wait(&meeting);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_barrier_destroy(&meeting);
	assert_int_equal(stmlog_open(&quiet), 0);
	stmlog_close();
	assert_int_equal(mem_live_bytes(), 0);
}

static void *close_it(void *unused)
{
	stmlog_close();
	return unused;
}

/* Another thread ends the session while its data are read. */
static bool close_instead(struct tb_site site, struct stmlog_name *name, void *arg)
{
	(void)site;
	(void)name;
	(void)arg;
	run_in_thread(close_it, NULL);
	return false;
}

TEST(what_is_being_read_outlives_the_close)
{
	const struct stmlog_setup closing = {.runtime = "test", .report = "none", .expand = close_instead};
	for (int i = 0; i < 2; i++) {
		assert_int_equal(stmlog_open(&closing), 0);
		transact();
		int null = open("/dev/null", O_WRONLY);
		assert_int_equal(stmlog_report(null), 0);
		close(null);
		assert_int_equal(stmlog_report(STDERR_FILENO), -EINVAL);
		assert_true(mem_live_bytes() > 0);
		close_own();
	}
	assert_int_equal(stmlog_open(&quiet), 0);
	stmlog_close();
	assert_int_equal(mem_live_bytes(), 0);
}

TEST(each_failing_allocation_is_survived)
{
	for (size_t n = 1;; n++) {
		mem_fail_at(n);
		int error = stmlog_open(&quiet);
		if (error == 0) {
			transact();
			run_in_thread(transact_once, NULL);
			struct stmlog_timelog *log = stmlog_timelog_create(4);
			struct stmlog_timelog *taken = log != NULL ? stmlog_timelog_take(log) : NULL;
			stmlog_timelog_destroy(&taken);
			stmlog_timelog_destroy(&log);
			stmlog_record("/dev/null/impossible");
			int null = open("/dev/null", O_WRONLY);
			stmlog_report(null);
			close(null);
			stmlog_close();
		} else {
			assert_int_equal(error, -ENOMEM);
		}
		assert_int_equal(tb_live_frames(), 0);
		assert_int_equal(mem_live_bytes(), 0);
		if (mem_fail_left() != 0) /* nobody asked for an n-th one */
			break;
	}
	mem_fail_at(0);
}

TEST_WITH(session_fixture, short_threads_leave_memory_flat_and_their_sums_behind)
{
	size_t after_some = 0;
	for (int i = 0; i < 3000; i++) {
		run_in_thread(transact_once, NULL);
		if (i == 10)
			after_some = mem_live_bytes();
	}
	assert_int_equal(mem_live_bytes(), after_some);
	assert_int_equal(recorded_in_all().count, 3000);
	assert_int_equal(recorded_in_all().lost_ns, 30000);
	assert_int_equal(registry.ended_len, ENDED_MAX);
	assert_int_equal(registry.remainder_threads, 3000 - ENDED_MAX);
	assert_int_equal(registry.remainder.account.commits, 3000 - ENDED_MAX);
}

static void *leave_a_timelog(void *arg)
{
	struct stmlog_timelog **log = arg;
	stmlog_thread_open(NULL);
	*log = stmlog_timelog_create(4);
	stmlog_timelog_activate(*log);
	transact();
	return NULL;
}

static void *attach_without_memory(void *arg)
{
	mem_fail_at(1);
	assert_null(stmlog_thread_open(NULL));
	return arg;
}

TEST_WITH(session_fixture, a_thread_without_memory_is_not_recorded_and_counted)
{
	stmlog_thread_open(NULL);
	run_in_thread(attach_without_memory, NULL);
	assert_int_equal(registry.refused, 1);
	run_in_thread(transact_once, NULL);
	assert_int_equal(registry.refused, 1);
	assert_int_equal(recorded_in_all().count, 1);
}

static void *push_without_memory(void *arg)
{
	struct stmlog_thread *me = stmlog_thread_open(NULL);
	struct tb_stack *stack = stmlog_thread_stack(me);
	size_t pushed = 0;
	do { /* until a push needs memory and gets none */
		mem_fail_at(1);
		tb_push(stack, tb_site_make(7, pushed++));
	} while (tb_stack_lost(stack) == 0);
	mem_fail_at(0);
	return arg;
}

TEST_WITH(session_fixture, frames_that_could_not_be_had_are_counted_as_missing)
{
	run_in_thread(push_without_memory, NULL);
	assert_int_equal(registry.ended[registry.ended_len - 1].tracebacks_unavailable, 1);
	run_in_thread(transact_once, NULL); /* with the same record */
	assert_int_equal(registry.ended[registry.ended_len - 1].tracebacks_unavailable, 0);
}

TEST_WITH(session_fixture, a_timelog_outlives_its_thread)
{
	OWNED(stmlog_timelog_destroy) struct stmlog_timelog *log;
	run_in_thread(leave_a_timelog, &log);
	run_in_thread(transact_once, NULL); /* must not get the record of the ended one */
	assert_int_equal(stmlog_timelog_len(log), 1);
	assert_int_equal(tb_frame_site(entry_at(log, 0).local).position, 7);
	stmlog_timelog_activate(log); /* of an ended thread: stays inactive */
	assert_false(log->is_active);
}

static void *end_in_the_middle(void *arg)
{
	struct stmlog_thread *me = stmlog_thread_open(NULL);
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, NULL);
	tb_push(stmlog_thread_stack(me), tb_site_make(7, 8));
	pause.local = tb_current(stmlog_thread_stack(me));
	stmlog_start(me);
	fake_clock_advance(5);
	stmlog_wait_begin(me, &pause);
	fake_clock_advance(5);
	return arg;
}

TEST_WITH(session_fixture, a_thread_may_end_within_a_pause_and_its_time_is_open)
{
	run_in_thread(end_in_the_middle, NULL);
	const struct stmlog_account *account = &registry.ended[registry.ended_len - 1].account;
	assert_int_equal(account->open_ns, 10);
	assert_int_equal(account->attached_ns, 10);
}

TEST_WITH(session_fixture, a_forked_child_begins_anew)
{
	transact();
	stmlog_start(stmlog_thread_self());
	fake_clock_advance(100);
	if (in_forked_child()) {
		struct stmlog_account account;
		fake_clock_advance(3);
		stmlog_account_read(stmlog_thread_self(), &account);
		stmlog_commit(stmlog_thread_self());
		bool is_new = account.attached_ns == 3 && account.open_ns == 3 && account.commits == 0 &&
			      registry.ended_len == 0 && registry.attached == stmlog_thread_self();
		transact();
		_exit(is_new ? 0 : 1);
	}
	stmlog_commit(stmlog_thread_self());
}

TEST_WITH(session_fixture, a_snapshot_of_another_thread_is_the_callers_own)
{
	struct stmlog_timelog *log;
	run_in_thread(leave_a_timelog, &log);
	OWNED(stmlog_timelog_destroy) struct stmlog_timelog *copy = stmlog_timelog_snapshot_remote(log);
	stmlog_timelog_destroy(&log);
	assert_int_equal(stmlog_timelog_len(copy), 1);
	assert_int_equal(tb_frame_site(entry_at(copy, 0).local).position, 7);
	assert_conserved(copy);
}

TEST_WITH(session_fixture, a_changed_timelog_voids_its_cursor)
{
	struct stmlog_entry entry;
	transact();
	struct stmlog_cursor cursor = stmlog_timelog_cursor(fixture_log);
	transact();
	assert_int_equal(stmlog_timelog_len(fixture_log), 1); /* hands over what was pending */
	assert_int_equal(stmlog_cursor_next(&cursor, &entry), STMLOG_NEXT_CHANGED);
}

/* In a child, because it cannot be taken back. */
TEST(a_session_opened_later_reads_the_clock_by_call_as_well)
{
	if (in_forked_child()) {
		stmlog_read_clock_by_call();
		bool is_open = stmlog_open(&quiet) == 0;
		_exit(!is_open || clock_source != clock_by_call_ns);
	}
}

TEST_WITH(session_fixture, a_reader_of_a_timelog_leaves_its_cursors_valid)
{
	struct stmlog_entry entry;
	transact();
	struct stmlog_cursor cursor = stmlog_timelog_cursor(fixture_log);
	struct stmlog_timelog *copy = stmlog_timelog_snapshot_remote(fixture_log);
	assert_int_equal(stmlog_timelog_len(copy), 1);
	stmlog_timelog_destroy(&copy);
	assert_int_equal(stmlog_cursor_next(&cursor, &entry), STMLOG_NEXT_ENTRY);
	assert_int_equal(stmlog_cursor_next(&cursor, &entry), STMLOG_NEXT_END);
}

TEST_WITH(session_fixture, a_cursor_and_the_length_tell_the_same_of_a_loss_that_has_just_come)
{
	struct stmlog_entry entry;
	struct stmlog_cursor cursor = stmlog_timelog_cursor(fixture_log);
	transact();
	assert_int_equal(stmlog_cursor_next(&cursor, &entry), STMLOG_NEXT_CHANGED);
	cursor = stmlog_timelog_cursor(fixture_log);
	assert_int_equal(stmlog_cursor_next(&cursor, &entry), STMLOG_NEXT_ENTRY);
	assert_int_equal(stmlog_cursor_next(&cursor, &entry), STMLOG_NEXT_END);
}

TEST_WITH(session_fixture, timelogs_that_cannot_be_are_refused)
{
	errno = 0;
	assert_null(stmlog_timelog_create(SIZE_MAX));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(errno, EINVAL);
	OWNED(stmlog_timelog_destroy) struct stmlog_timelog *none = NULL;
}

TEST_WITH(session_fixture, errno_is_kept)
{
	errno = EXDEV;
	transact();
	close_own();
	transact();
	stmlog_flush();
	assert_int_equal(errno, EXDEV);
	/* The fixture's timelog is of the record that was detached: it is still there. */
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
}
