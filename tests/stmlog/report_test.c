/* SPDX-License-Identifier: MIT
 * The text report, to the letter: tests/golden/report_*.txt. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "session_fixture.h"

static void assert_report_is(const char *golden)
{
	char report[8192], expected[8192], path[256];
	int file = memfd_create("report", 0);
	assert_int_equal(stmlog_report(file), 0);
	ssize_t len = pread(file, report, sizeof report - 1, 0);
	report[len] = '\0';
	close(file);
	snprintf(path, sizeof path, "tests/golden/%s", golden);
	int fd = open(path, O_RDONLY);
	len = fd >= 0 ? read(fd, expected, sizeof expected - 1) : 0;
	expected[len] = '\0';
	close(fd);
	assert_string_equal(report, expected);
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

static void nothing_lost_is_one_line(void **state)
{
	(void)state;
	stmlog_start(stmlog_thread_self());
	fake_clock_advance(3 * MS);
	stmlog_commit(stmlog_thread_self());
	assert_report_is("report_nothing_lost.txt");
}

static void the_costliest_come_first_with_both_sides(void **state)
{
	(void)state;
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
	stmlog_pause_begin(me, &opaque);
	fake_clock_advance(250 * US);
	stmlog_pause_end(me);
	stmlog_commit(me);
	tb_pop(stmlog_thread_stack(me));
	stmlog_count_unavailable_traceback(me);
	assert_report_is("report_costliest.txt");
	tb_unref(stmlog_thread_stack(me), remote);
}

static void top_limits_what_is_shown_and_says_so(void **state)
{
	(void)state;
	session_open_with("top=1");
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	lose_at(&transfer, 30 * MS, loss);
	lose_at(&audit, 10 * MS, loss);
	assert_report_is("report_top_1.txt");
}

static void long_tracebacks_are_cut_to_a_glance(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	struct tb_stack *stack = stmlog_thread_stack(me);
	for (int i = 0; i < 12; i++)
		tb_push(stack, tb_place_site(&worker));
	lose_at(&transfer, 1 * MS, stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL));
	assert_report_is("report_long.txt");
}

/* The last one: mistakes are counted for the life of the process. */
static void a_mistaken_call_is_reported_once(void **state)
{
	(void)state;
	stmlog_commit(stmlog_thread_self());
	assert_report_is("report_mistake.txt");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, session_setup, session_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(nothing_lost_is_one_line),
		CASE(the_costliest_come_first_with_both_sides),
		CASE(top_limits_what_is_shown_and_says_so),
		CASE(long_tracebacks_are_cut_to_a_glance),
		CASE(a_mistaken_call_is_reported_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
