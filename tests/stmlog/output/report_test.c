/* SPDX-License-Identifier: MIT
 * The report that a process prints of itself, to the letter: tests/golden/report_*.txt. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "golden.h"
#include "mem.h"
#include "own_module.h"
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

/* The program and its pid are others in each run. */
static void read_renamed(char *report, size_t size)
{
	read_report(report, size);
	assert_memory_equal(report, "stmlog: ", 8);
	rename_part(report, strstr(report, "): "), "stmlog: PROGRAM (pid N");
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
	struct tb_stack *stack = stmlog_thread_stack(me());
	tb_push(stack, tb_place_site(&worker));
	tb_push(stack, tb_place_site(place));
	loss.local = tb_current(stack);
	lose(me(), ns, &loss);
	stmlog_retry(me());
	fake_clock_advance(1 * MS);
	stmlog_commit(me());
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
	OWNED(stmlog_thread_close) struct stmlog_thread *lane = stmlog_thread_open("idle");
	fake_clock_advance(MS);
	read_renamed(report, sizeof report);
	assert_string_equal(strchr(report, '\n'), "\n");
	assert_non_null(strstr(report, ", clock custom: nothing was recorded\n"));
}

TEST_WITH(session_fixture, the_costliest_come_first_with_both_sides)
{
	struct tb_site remote_sites[2] = {tb_place_site(&transfer), tb_place_site(&worker)};
	struct tb_frame *remote = tb_build(stmlog_thread_stack(me()), remote_sites, 2, TB_EMPTY);
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
	lose(me(), 500 * US, &user);
	struct stmlog_loss opaque = stmlog_loss_make(STMLOG_PAUSE, STMLOG_INEVITABLE, NULL);
	tb_push(stmlog_thread_stack(me()), tb_site_make(77, 5));
	opaque.local = tb_current(stmlog_thread_stack(me()));
	stmlog_start(me());
	stmlog_wait_begin(me(), &opaque);
	fake_clock_advance(250 * US);
	stmlog_wait_end(me());
	stmlog_commit(me());
	tb_pop(stmlog_thread_stack(me()));
	stmlog_count_unavailable_traceback(me());
	assert_report_is("report_costliest.txt");
	tb_unref(stmlog_thread_stack(me()), remote);
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
	struct tb_stack *stack = stmlog_thread_stack(me());
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

/* ---- data, places, order ---- */

static void lose_over(uintptr_t object)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	loss.object = object;
	lose_1_ms(&loss);
}

TEST_WITH(session_fixture, the_object_of_a_tenth_of_the_losses_is_named_and_no_rarer_one)
{
	char report[16384];
	lose_over(ACCOUNTS + 16);
	assert_report_has("\n     object      accounts+16 (at least 1 time)\n");
	for (int i = 0; i < 3; i++)
		lose_over(0x4d20);
	assert_report_has("\n     object      0x4d20 (at least 3 times)\n");
	for (int i = 0; i < 60; i++)
		lose_over(0);
	read_renamed(report, sizeof report);
	assert_null(strstr(report, "object "));
}

TEST_WITH(session_fixture, code_without_a_name_stands_as_module_and_offset)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	struct tb_stack *stack = stmlog_thread_stack(stmlog_thread_self());
	char expected[128];
	tb_push(stack, tb_address_site((const void *)(uintptr_t)&lose_over));
	tb_push(stack, tb_address_site((const void *)16));
	loss.local = tb_current(stack);
	lose_1_ms(&loss);
	tb_pop(stack);
	tb_pop(stack);
	snprintf(expected, sizeof expected, "\n     where       0x10\n                 report_test+0x%zx\n",
		(size_t)((uintptr_t)&lose_over - own_module().bias));
	assert_report_has(expected);
}

TEST_WITH(session_fixture, names_do_not_act_on_a_terminal)
{
	static const struct tb_place red = {"\033[31mred", "a\nb.c", 1};
	lose_at(&red, 1 * MS, stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL));
	assert_report_has("\n     where       a?b.c:1  ?[31mred\n");
}

/* Each loss of 1 ms stands for 100, and those of few losses come last. */
TEST_WITH(session_fixture, of_a_sampled_run_the_order_is_that_of_the_estimates)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	stmlog_set_sampling(100);
	lose_at(&worker, 5000 * (uint64_t)MS, loss);
	for (int i = 0; i < 10; i++)
		lose_at(&audit, 20 * MS, loss);
	stmlog_set_weight(stmlog_thread_self(), 100);
	for (int i = 0; i < 10; i++)
		lose_at(&transfer, 1 * MS, loss);
	stmlog_unmeasured(stmlog_thread_self(), 990, 990);
	fake_clock_advance(10000 * (uint64_t)MS);
	assert_report_has(
		"\n 1.  ~ 1.00 s  16.1 %  10 times measured, longest 1.0 ms   self-abort, write-write   thread 1\n"
		"     where       bank.c:61  transfer\n");
	assert_report_has("\n 2.  ~ 200.0 ms  ");
	assert_report_has("\n 3.  ~ 5.00 s  80.6 %  1 time measured, ");
}

TEST_WITH(session_fixture, evicted_losses_are_counted_in_the_heading)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	session_open_with("capacity=0");
	lose_at(&transfer, 3 * MS, loss);
	stmlog_start(stmlog_thread_self()); /* hands over what was pending */
	assert_report_has("\nCostliest: the 0 shown cover 0.0 % of the time lost; evicted losses: 1\n");
}

/* Whichever allocation fails: nothing is printed, and all is given back. */
TEST_WITH(session_fixture, without_memory_there_is_none)
{
	char report[16384];
	lose_over(ACCOUNTS);
	read_report(report, sizeof report); /* what is allocated once */
	size_t failures = 0, bytes = mem_live_bytes();
	for (size_t n = 1; n == 1 || mem_fail_left() == 0; n++) {
		int file = memfd_create("report", 0);
		mem_fail_at(n);
		int error = stmlog_report(file);
		ssize_t len = pread(file, report, sizeof report, 0);
		close(file);
		assert_int_equal(mem_live_bytes(), bytes);
		assert_true(error == 0 || error == -ENOMEM);
		failures += error != 0;
		assert_true((error == 0) == (len > 0)); /* it may do without */
	}
	mem_fail_at(0);
	assert_true(failures > 5);
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
	assert_report_has("\ntimes of pauses and waits: estimated from how long the STM's calls have taken\n");
}

TEST_WITH(session_fixture, an_abort_of_unknown_cause_is_not_one_without_another_transaction)
{
	struct stmlog_loss alone = stmlog_loss_of(STMLOG_SELF_ABORT, STMLOG_NONE, "TABLE_FULL");
	lose(me(), MS, NULL);
	assert_report_has("blocked by  unknown: the runtime gave no cause\n");
	lose(me(), MS, &alone);
	assert_report_has("blocked by  nobody: no other transaction was in its way\n");
}

TEST_WITH(session_fixture, aborts_that_nobody_counts_are_said_to_be_missing)
{
	static const char missing[] = "\naborts of transactions that were not measured are missing\n";
	char report[16384];
	stmlog_start(stmlog_thread_self());
	stmlog_commit(stmlog_thread_self());
	stmlog_set_sampling(16);
	read_renamed(report, sizeof report);
	assert_null(strstr(report, missing));
	stmlog_set_fact("counters_known", 0);
	assert_report_has(missing);
}

TEST_WITH(session_fixture, a_wait_under_way_is_no_nothing)
{
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, NULL);
	stmlog_start(me());
	stmlog_wait_begin(me(), &pause);
	fake_clock_advance(5 * MS);
	assert_report_has("\nopen               5.0 ms  100.0 %\nattached");
	assert_report_has("\nNo abort, pause or wait was measured to its end.\n");
	stmlog_wait_end(me());
	stmlog_commit(me());
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
