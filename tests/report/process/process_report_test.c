/* SPDX-License-Identifier: MIT
 * The report that a process prints of itself, to the letter: tests/golden/report_*.txt. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "child.h"
#include "golden.h"
#include "losses.h"
#include "mem.h"
#include "peer.h"
#include "process_reporter.h"
#include "session.h"
#include "session_fixture.h"
#include "own_report.h"
#include "test.h"
#include "text_has.h"

/* Puts `name` in the place of what stands from `begin` to `end`. */
static void rename_part(char *begin, const char *end, const char *name)
{
	memmove(begin + strlen(name), end, strlen(end) + 1);
	memcpy(begin, name, strlen(name));
}

/* The program and its pid are others in each run. The first screen has the program alone, before the runtime. */
static void rename_program(char *report)
{
	char *line = strstr(report, "stmlog: ");
	assert_non_null(line);
	rename_part(line, strstr(line, "): "), "stmlog: PROGRAM (pid N");
	if (line == report)
		return;
	assert_memory_equal(report, "stmlog  ", 8);
	rename_part(report, strstr(report, "   test"), "stmlog  PROGRAM");
}

static void read_renamed(char *report, size_t size)
{
	/* Not known: of a busy machine a line would be printed above. */
	session.machine = (struct machine_time){0, 0, 0};
	read_report(report, size);
	rename_program(report);
}

static void assert_report_is(const char *golden)
{
	char report[16384];
	session.processors = 0; /* the same on any machine */
	read_renamed(report, sizeof report);
	golden_check(golden, report);
}

static void assert_report_has(const char *words)
{
	char report[16384];
	read_renamed(report, sizeof report);
	assert_has(report, words);
}

static const struct tb_place transfer = {"transfer", "bank.c", 61};
static const struct tb_place audit = {"audit", "bank.c", 80};
static const struct tb_place worker = {"worker", "bank.c", 120};

static void lose_at(const struct tb_place *place, uint64_t ns, struct stmlog_loss loss)
{
	struct stmlog_thread *me = stmlog_thread_self();
	struct tb_stack *stack = stmlog_thread_stack(me);
	tb_push(stack, tb_place_site(&worker));
	tb_push(stack, tb_place_site(place));
	loss.local = tb_current(stack);
	lose(me, ns, &loss);
	stmlog_retry(me);
	fake_clock_advance(1 * MS);
	stmlog_commit(me);
	tb_pop(stack);
	tb_pop(stack);
}

TEST_WITH(session_fixture, of_nothing_lost_there_is_the_account)
{
	stmlog_start(stmlog_thread_self());
	fake_clock_advance(3 * MS);
	stmlog_commit(stmlog_thread_self());
	assert_report_is("report_nothing_lost.txt");
}

TEST_WITH(session_fixture, of_threads_that_did_nothing_there_is_one_line)
{
	char report[16384];
	struct stmlog_thread *lane = stmlog_thread_open("idle");
	fake_clock_advance(MS);
	read_renamed(report, sizeof report);
	assert_string_equal(strchr(report, '\n'), "\n");
	assert_non_null(strstr(report, ", clock custom: nothing was recorded\n"));
	stmlog_thread_close(&lane);
}

TEST_WITH(session_fixture, the_costliest_come_first_with_both_sides)
{
	struct stmlog_thread *me = stmlog_thread_self();
	struct tb_site remote_sites[2] = {tb_place_site(&transfer), tb_place_site(&worker)};
	struct tb_frame *remote = tb_build(stmlog_thread_stack(me), remote_sites, 2, TB_EMPTY);
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "LOCKED_READ");
	lose_at(&audit, 4 * MS, loss);
	loss.cause.contention = STMLOG_WRITE_WRITE;
	loss.cause.detail = NULL;
	loss.remote = remote;
	loss.remote_thread = 2;
	lose_at(&transfer, 20 * MS, loss);
	lose_at(&transfer, 10 * MS, loss);
	struct stmlog_loss user = stmlog_loss_make(STMLOG_USER_ABORT, STMLOG_NONE, NULL);
	user.local = TB_EMPTY;
	lose(me, 500 * US, &user);
	struct stmlog_loss opaque = stmlog_loss_make(STMLOG_PAUSE, STMLOG_INEVITABLE, NULL);
	tb_push(stmlog_thread_stack(me), tb_site_make(77, 5));
	opaque.local = tb_current(stmlog_thread_stack(me));
	stmlog_start(me);
	stmlog_wait_begin(me, &opaque);
	fake_clock_advance(250 * US);
	stmlog_wait_end(me);
	stmlog_commit(me);
	tb_pop(stmlog_thread_stack(me));
	stmlog_count_unavailable_traceback(me);
	assert_report_is("report_costliest.txt");
	tb_unref(stmlog_thread_stack(me), remote);
}

/* Weight 16: times are scaled, counts are not. */
TEST_WITH(session_fixture, of_a_sampled_run_times_are_estimates_with_their_intervals)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "LOCKED_READ");
	stmlog_set_sampling(16);
	stmlog_set_weight(stmlog_thread_self(), 16);
	for (int i = 0; i < 100; i++)
		lose_at(&audit, 4 * MS, loss);
	fake_clock_advance(10000 * (uint64_t)MS);
	stmlog_unmeasured(stmlog_thread_self(), 1500, 1200);
	assert_report_is("report_sampled.txt");
}

TEST_WITH(session_fixture, top_limits_what_is_shown_and_says_so)
{
	session_open_with("top=1");
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	lose_at(&transfer, 30 * MS, loss);
	lose_at(&audit, 10 * MS, loss);
	assert_report_is("report_top_1.txt");
}

TEST_WITH(session_fixture, long_tracebacks_are_cut_to_a_glance)
{
	struct stmlog_thread *me = stmlog_thread_self();
	struct tb_stack *stack = stmlog_thread_stack(me);
	for (int i = 0; i < 12; i++)
		tb_push(stack, tb_place_site(&worker));
	lose_at(&transfer, 1 * MS, stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL));
	assert_report_is("report_long.txt");
}

/* ---- grades ---- */

static void lose_graded(enum stmlog_grade grade)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, NULL);
	struct tb_stack *stack = stmlog_thread_stack(stmlog_thread_self());
	struct tb_site site = BYTECODE_SITE(3, 0);
	struct tb_frame *remote = tb_build(stack, &site, 1, TB_EMPTY);
	loss.remote = remote;
	loss.remote_thread = 2;
	loss.grade = grade;
	lose_at(&transfer, 1 * MS, loss);
	tb_unref(stack, remote);
}

TEST_WITH(session_fixture, how_sure_the_culprit_is_is_said)
{
	char report[16384];
	lose_graded(STMLOG_GRADE_CERTAIN);
	assert_report_has("\n     blocked by  thread 2, certain\n                 prog.py:3  bytecode\n");
	lose_graded(STMLOG_GRADE_CERTAIN);
	read_renamed(report, sizeof report);
	assert_null(strstr(report, "certain 1"));
}

TEST_WITH(session_fixture, where_some_are_certain_only_it_is_said_how_many)
{
	lose_graded(STMLOG_GRADE_CERTAIN);
	lose_graded(STMLOG_GRADE_CERTAIN);
	lose_graded(STMLOG_GRADE_CANDIDATE);
	assert_report_has("\n     blocked by  thread 2, certain 66.7 %\n                 prog.py:3  bytecode\n");
}

/* ---- who aborts whom ---- */

static void lose_to(const struct tb_place *place, uint64_t ns, struct tb_site culprit)
{
	struct stmlog_thread *me = stmlog_thread_self();
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, NULL);
	struct tb_frame *remote = tb_build(stmlog_thread_stack(me), &culprit, 1, TB_EMPTY);
	loss.remote = remote;
	lose_at(place, ns, loss);
	tb_unref(stmlog_thread_stack(me), remote);
}

TEST_WITH(session_fixture, pairs_are_summed_over_entries_and_the_costliest_shown)
{
	struct stmlog_loss user = stmlog_loss_make(STMLOG_USER_ABORT, STMLOG_NONE, NULL);
	for (uint64_t i = 0; i < 7; i++)
		lose_to(&transfer, (7 - i) * MS, BYTECODE_SITE(i + 1, 0));
	lose_to(&transfer, 20 * MS, BYTECODE_SITE(7, 1));
	lose_at(&audit, 12 * MS, user);
	assert_report_is("report_pairs.txt");
}

/* Whichever allocation fails: all is given back, and what was printed is what a whole report begins with. */
TEST_WITH(session_fixture, without_memory_it_says_so)
{
	static const char excuse[] = "\nstmlog: no memory for the rest of this report\n";
	char whole[16384] = "", report[16384];
	lose_to(&transfer, 1 * MS, BYTECODE_SITE(1, 0));
	int file = memfd_create("report", 0);
	assert_int_equal(stmlog_report(file), 0);
	assert_true(pread(file, whole, sizeof whole - 1, 0) > 0);
	close(file);
	size_t failures = 0, bytes = mem_live_bytes();
	for (size_t n = 1; n == 1 || mem_fail_left() == 0; n++) {
		memset(report, 0, sizeof report);
		file = memfd_create("report", 0);
		mem_fail_at(n);
		int error = stmlog_report(file);
		ssize_t len = pread(file, report, sizeof report - 1, 0);
		close(file);
		assert_int_equal(mem_live_bytes(), bytes);
		assert_true(error == 0 || error == -ENOMEM);
		if (error == 0)
			continue; /* nothing has failed, or it could do without */
		failures++;
		assert_true(len == 0 || strcmp(report + len - (sizeof excuse - 1), excuse) == 0);
		assert_true(len == 0 || memcmp(report, whole, (size_t)len - (sizeof excuse - 1)) == 0);
	}
	mem_fail_at(0);
	assert_true(failures > 5);
}

static uint64_t its_write;

static void it_writes(void *unused)
{
	(void)unused;
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	stmlog_start(thread);
	its_write = stmlog_origin(thread, BYTECODE_SITE(3, 0));
}

static void it_gives_up(void *unused)
{
	(void)unused;
	abort_asked(stmlog_thread_self(), NULL);
	close_own();
}

TEST_WITH(session_fixture, what_was_for_nothing_is_said_of_the_entry_and_of_all)
{
	struct stmlog_thread *me = stmlog_thread_self();
	struct peer peer;
	peer_start(&peer);
	peer_do(&peer, it_writes, NULL);
	stmlog_start(me);
	for (int i = 0; i < 1200; i++) {
		fake_clock_advance(1 * US);
		abort_over_write(me, ACCOUNTS, its_write, NULL);
		stmlog_retry(me);
	}
	peer_do(&peer, it_gives_up, NULL);
	peer_end(&peer);
	stmlog_commit(me);
	assert_report_has("\n     for nothing 1,200 of 1,200 (their culprit was aborted as well)\n");
	assert_report_has("\nWho aborts whom\n  (no frames)  lost 1.2 ms (50.0 %) 1,200 times to  prog.py:3 bytecode\n"
			  "for nothing, the culprit aborted too: 1.2 ms (50.0 %), 1,200 times\n");
}

TEST_WITH(session_fixture, pauses_and_waits_that_were_inferred_are_told_from_measured_ones)
{
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_NONE, "COMMIT_WAIT");
	char report[16384];
	stmlog_start(stmlog_thread_self());
	fake_clock_advance(MS);
	stmlog_waited(stmlog_thread_self(), &pause, MS);
	stmlog_commit(stmlog_thread_self());
	read_renamed(report, sizeof report);
	assert_null(strstr(report, "estimated"));
	stmlog_set_fact("waits_estimated", 1);
	assert_report_has("\nestimated: times of pauses and waits, from how long the STM's calls have taken\n");
	assert_report_has("   pause, none, COMMIT_WAIT, estimated   thread 1\n");
}

static bool read_in_part(void *unused, struct stmlog_unmeasured_counts *counts)
{
	(void)unused;
	*counts = (struct stmlog_unmeasured_counts){.commits = 5, .aborts = 3};
	return false;
}

TEST_WITH(session_fixture, counts_that_lack_some_are_not_called_exact)
{
	char report[16384];
	stmlog_start(stmlog_thread_self());
	stmlog_commit(stmlog_thread_self());
	stmlog_set_fact("counters_known", 1);
	read_renamed(report, sizeof report);
	assert_non_null(strstr(report, "counts of commits and aborts are exact"));
	stmlog_read_unmeasured_by(stmlog_thread_self(), read_in_part, NULL);
	read_renamed(report, sizeof report);
	assert_null(strstr(report, "exact"));
	assert_report_has("not recorded - threads whose last aborts could not be counted: 1\n");
}

TEST_WITH(session_fixture, the_first_line_names_the_method_and_the_processors)
{
	session.processors = 0;
	assert_report_has("(pid N): test, 1 thread, ");
	session.processors = 1;
	stmlog_set_word("method", "htm");
	assert_report_has("(pid N): test htm, 1 thread on 1 processor, ");
	session.processors = 4;
	stmlog_set_word("method", "unknown");
	assert_report_has("(pid N): test, method unknown, 1 thread on 4 processors, ");
}

/* The last one: mistakes are counted for the life of the process. */
TEST_WITH(session_fixture, a_mistaken_call_is_reported_once)
{
	stmlog_commit(stmlog_thread_self());
	assert_report_is("report_mistake.txt");
}

static void name_thread(void)
{
	prctl(PR_SET_NAME, "report_test"); /* valgrind gives the thread a name of its own */
}

static const struct test_fixture name_fixture = {name_thread, NULL};

GROUP_WITH(name_fixture);

static void print_records_without_totals(void)
{
	static const struct process_records records = {.top = 1};
	stmlog_process_reporter.print(&records, STDERR_FILENO);
}

TEST(records_without_totals_are_a_broken_requirement)
{
	child_is_stopped(print_records_without_totals, "process_report.c");
}
