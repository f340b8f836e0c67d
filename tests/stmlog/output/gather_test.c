/* SPDX-License-Identifier: MIT
 * What all threads have spent, from the hooks to the records of a file. */
#include "sections.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <unistd.h>

#include "losses.h"
#include "mem.h"
#include "session.h"
#include "session_fixture.h"
#include "child.h"
#include "test.h"

enum { OUTER = 1, INNER = 2 };

static void push(uintptr_t position)
{
	tb_push(stmlog_thread_stack(me()), tb_site_make(1000, position));
}

static void pop(void)
{
	tb_pop(stmlog_thread_stack(me()));
}

/* One that commits in its third attempt; each attempt takes 10 ns. */
static void third_time(void)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_NONE, NULL);
	loss.local = tb_current(stmlog_thread_stack(me()));
	stmlog_start(me());
	for (int i = 0; i < 2; i++) {
		fake_clock_advance(10);
		stmlog_abort(me(), &loss);
		stmlog_retry(me());
	}
	fake_clock_advance(10);
	stmlog_commit(me());
}

static void third_time_at(uintptr_t site)
{
	push(site);
	third_time();
	pop();
}

static void *attach_and_work(void *unused)
{
	(void)unused;
	stmlog_thread_open(NULL);
	third_time_at(OUTER);
	close_own();
	return NULL;
}

static void in_another_thread(void)
{
	pthread_t thread;
	assert_int_equal(pthread_create(&thread, NULL, attach_and_work, NULL), 0);
	pthread_join(thread, NULL);
}

/* The records that a file would have. */
static struct intern intern;
static struct buffer paths, transactions, blocked;

static void make_records(void)
{
	OWNED(spent_fini) struct spent spent;
	assert_int_equal(spent_gather(&spent), 0);
	intern_init(&intern, spent.path_count + spent.tries_count + 1, 32, 1000);
	record_paths(&spent, &intern, &paths);
	record_tries(&spent, &intern, &transactions, &blocked);
	assert_false(intern_has_failed(&intern) || paths.has_failed || transactions.has_failed || blocked.has_failed);
}

static void drop_records(void)
{
	intern_fini(&intern);
	buffer_fini(&paths);
	buffer_fini(&transactions);
	buffer_fini(&blocked);
	paths = transactions = blocked = (struct buffer){0};
}

static size_t path_count(void)
{
	return paths.len / sizeof(struct stmlog_path_record);
}

static struct stmlog_path_record path_at(size_t i)
{
	struct stmlog_path_record record;
	memcpy(&record, paths.bytes + i * sizeof record, sizeof record);
	return record;
}

static struct stmlog_transaction_record transaction_at(size_t i)
{
	struct stmlog_transaction_record record;
	assert_true(transactions.len >= (i + 1) * sizeof record);
	memcpy(&record, transactions.bytes + i * sizeof record, sizeof record);
	return record;
}

TEST_WITH(session_fixture, a_transaction_is_counted_where_it_begins_with_its_attempts_and_its_loss)
{
	third_time_at(OUTER);
	stmlog_start_at(me(), stmlog_now_ns(), TB_NO_SITE, TB_UNKNOWN);
	stmlog_commit(me());
	make_records();
	assert_int_equal(transactions.len, 2 * sizeof(struct stmlog_transaction_record));
	struct stmlog_transaction_record known = transaction_at(0), unknown = transaction_at(1);
	assert_int_equal(known.commits, 1);
	assert_int_equal(known.attempts, 3);
	assert_int_equal(known.lost_ns, 20);
	assert_int_equal(known.site, 0);
	assert_int_equal(unknown.site, STMLOG_NO_SITE);
	assert_int_equal(unknown.commits, 1);
	assert_int_equal(unknown.lost_ns, 0);
	drop_records();
}

TEST_WITH(session_fixture, what_the_last_attempts_have_read_is_counted_where_they_began)
{
	for (uint64_t reads = 5; reads <= 7; reads += 2) {
		third_time_at(OUTER);
		stmlog_count_reads(me(), reads);
	}
	third_time_at(INNER);
	make_records();
	assert_int_equal(transaction_at(0).reads, 12);
	assert_int_equal(transaction_at(0).reads_known, 2);
	assert_int_equal(transaction_at(1).reads_known, 0);
	drop_records();
}

TEST_WITH(session_fixture, threads_that_have_ended_are_in_it_and_equal_sites_are_one)
{
	for (int i = 0; i < 3; i++)
		in_another_thread();
	third_time_at(OUTER);
	make_records();
	assert_int_equal(transactions.len, sizeof(struct stmlog_transaction_record));
	assert_int_equal(transaction_at(0).commits, 4);
	assert_int_equal(transaction_at(0).lost_ns, 80);
	drop_records();
}

TEST_WITH(session_fixture, without_the_option_there_are_no_paths)
{
	third_time_at(OUTER);
	make_records();
	assert_int_equal(path_count(), 0);
	assert_false(stmlog_wants_places());
	drop_records();
}

TEST_WITH(session_fixture, paths_have_all_time_by_where_it_went)
{
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, NULL);
	struct stmlog_account account;
	session_open_with("paths=on");
	assert_true(stmlog_wants_places());
	push(OUTER);
	in_another_thread();
	third_time();
	push(INNER);
	third_time();
	stmlog_start(me());
	stmlog_wait_begin(me(), &pause);
	fake_clock_advance(5);
	stmlog_wait_end(me());
	stmlog_commit(me());
	pop();
	pop();
	make_records();
	stmlog_account_read(me(), &account);
	uint64_t committed_ns = 0, aborted_ns = 0, paused_ns = 0, commits = 0;
	for (size_t i = 0; i < path_count(); i++) {
		struct stmlog_path_record path = path_at(i);
		committed_ns += path.committed_ns;
		aborted_ns += path.aborted_ns;
		paused_ns += path.paused_ns;
		commits += path.commits;
		assert_true(path.estimated_committed_ns == (double)path.committed_ns);
	}
	assert_int_equal(path_count(), 3); /* outer, inner, and the pause's that is not known */
	assert_int_equal(committed_ns, account.committed_ns + 10);
	assert_int_equal(aborted_ns, account.aborted_ns[STMLOG_NONE] + 20);
	assert_int_equal(paused_ns, 5);
	assert_int_equal(commits, account.commits + 1);
	drop_records();
}

static bool has_paths_with(const char *options)
{
	struct stmlog_setup setup = {.has_paths = true};
	stmlog_close();
	setenv("STMLOG_OPTIONS", options, 1);
	assert_int_equal(stmlog_open(&setup), 0);
	unsetenv("STMLOG_OPTIONS");
	return stmlog_wants_places();
}

TEST_WITH(session_fixture, a_runtime_may_have_paths_unless_the_option_says_otherwise)
{
	assert_true(has_paths_with("report=none"));
	assert_true(has_paths_with("report=none:paths=on"));
	assert_false(has_paths_with("report=none:paths=off"));
}

TEST_WITH(session_fixture, a_runtime_may_say_where_its_transactions_are)
{
	session_open_with("paths=on");
	struct tb_stack *stack = stmlog_thread_stack(me());
	struct tb_site site = tb_site_make(1000, 7);
	struct tb_frame *place = tb_build(stack, &site, 1, TB_EMPTY);
	stmlog_start_at(me(), stmlog_now_ns(), site, place);
	tb_unref(stack, place); /* it was borrowed until then */
	fake_clock_advance(3);
	stmlog_commit(me());
	make_records();
	assert_int_equal(path_count(), 1);
	assert_int_equal(path_at(0).traceback, 2);
	assert_int_equal(path_at(0).committed_ns, 3);
	assert_int_equal(transaction_at(0).site, 0);
	drop_records();
}

TEST_WITH(session_fixture, what_others_stand_for_is_estimated)
{
	session_open_with("paths=on");
	stmlog_set_weight(me(), 4);
	third_time_at(OUTER);
	make_records();
	assert_int_equal(path_at(0).aborted_ns, 20);
	assert_true(path_at(0).estimated_aborted_ns == 80);
	assert_true(path_at(0).estimated_committed_ns == 40);
	assert_true(path_at(0).estimated_commits == 4 && path_at(0).estimated_aborts == 8);
	drop_records();
}

TEST_WITH(session_fixture, a_forked_child_begins_with_nothing)
{
	session_open_with("paths=on");
	push(OUTER);
	third_time();
	pid_t child = fork();
	if (child == 0) {
		struct spent spent;
		bool is_empty = spent_gather(&spent) == 0 && spent.path_count == 0 && spent.tries_count == 0;
		third_time();
		spent_fini(&spent);
		bool has_own = spent_gather(&spent) == 0 && spent.path_count == 1 && spent.tries_count == 1;
		_exit(is_empty && has_own ? 0 : 1);
	}
	pop();
	assert_child_succeeds(child);
}

TEST_WITH(session_fixture, so_do_its_threads_with_the_records_of_ended_threads_of_its_parent)
{
	in_another_thread();
	if (in_forked_child()) {
		make_records();
		assert_int_equal(transactions.len, 0);
		drop_records();
		in_another_thread();
		make_records();
		assert_int_equal(transaction_at(0).commits, 1);
		drop_records();
		_exit(0);
	}
}

TEST_WITH(session_fixture, each_failing_allocation_is_told)
{
	struct spent spent;
	session_open_with("paths=on");
	third_time_at(OUTER);
	for (size_t n = 1; n <= 2; n++) {
		mem_fail_at(n);
		assert_int_equal(spent_gather(&spent), -ENOMEM);
		mem_fail_at(0);
		assert_int_equal(spent.path_count, 0);
	}
	assert_int_equal(spent_gather(&spent), 0);
	intern_init(&intern, spent.path_count + spent.tries_count + 1, 32, 1000);
	mem_fail_at(2); /* the first one is the buffer's of tracebacks */
	record_paths(&spent, &intern, &paths);
	mem_fail_at(0);
	assert_true(intern_has_failed(&intern) || paths.has_failed);
	spent_fini(&spent);
	drop_records();
}
