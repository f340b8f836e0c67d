/* SPDX-License-Identifier: MIT
 * The library's signal handlers, and the program that must not see them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

#include "dispositions.h"

static volatile sig_atomic_t ours_ran, others_ran, programs_ran;

static void ours(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	ours_ran++;
}

static void another_of_ours(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	others_ran++;
}

static void programs(int number)
{
	(void)number;
	programs_ran++;
}

static int calls; /* of the system's function, as the library calls it */

static int counting(int number, const struct sigaction *action, struct sigaction *old)
{
	calls++;
	return sigaction(number, action, old);
}

static int setup(void **state)
{
	(void)state;
	signal(SIGUSR1, SIG_DFL);
	ours_ran = others_ran = programs_ran = 0;
	calls = 0;
	dispositions_use(NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	dispositions_unset(SIGUSR1, ours);
	dispositions_unset(SIGUSR1, another_of_ours);
	dispositions_use(NULL);
	signal(SIGUSR1, SIG_DFL);
	return 0;
}

/* What the program sees, through an interposed sigaction(). */
static struct sigaction seen(void)
{
	struct sigaction old;
	memset(&old, 0xff, sizeof old);
	assert_int_equal(stmlog_sigaction(sigaction, SIGUSR1, NULL, &old), 0);
	return old;
}

static void the_program_sets(void (*handler)(int number))
{
	struct sigaction action = {.sa_handler = handler};
	assert_int_equal(stmlog_sigaction(sigaction, SIGUSR1, &action, NULL), 0);
}

static void a_handler_runs_and_is_not_seen(void **state)
{
	(void)state;
	dispositions_set(SIGUSR1, ours, NULL);
	raise(SIGUSR1);
	assert_int_equal(ours_ran, 1);
	struct sigaction now = seen();
	assert_ptr_equal(now.sa_handler, SIG_DFL);
	assert_int_equal(now.sa_flags, 0);
	assert_int_equal(sigismember(&now.sa_mask, SIGUSR2), 0);
}

static void the_signals_of_the_mask_are_blocked(void **state)
{
	sigset_t mask;
	struct sigaction now;
	(void)state;
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	dispositions_set(SIGUSR1, ours, &mask);
	sigaction(SIGUSR1, NULL, &now);
	assert_int_equal(sigismember(&now.sa_mask, SIGUSR2), 1);
	assert_int_equal(sigismember(&now.sa_mask, SIGHUP), 0);
}

static void a_handler_of_the_program_is_left_alone_and_seen(void **state)
{
	(void)state;
	signal(SIGUSR1, programs);
	dispositions_set(SIGUSR1, ours, NULL);
	raise(SIGUSR1);
	assert_int_equal(programs_ran, 1);
	assert_int_equal(ours_ran, 0);
	assert_ptr_equal(seen().sa_handler, programs);
	dispositions_unset(SIGUSR1, ours);
	assert_ptr_equal(seen().sa_handler, programs);
}

static void an_ignored_signal_stays_ignored(void **state)
{
	(void)state;
	signal(SIGUSR1, SIG_IGN);
	dispositions_set(SIGUSR1, ours, NULL);
	raise(SIGUSR1);
	assert_int_equal(ours_ran, 0);
	assert_ptr_equal(seen().sa_handler, SIG_IGN);
}

static void the_default_action_set_by_the_program_is_our_handler(void **state)
{
	struct sigaction action = {.sa_handler = SIG_DFL}, old;
	(void)state;
	signal(SIGUSR1, programs);
	dispositions_set(SIGUSR1, ours, NULL);
	assert_int_equal(stmlog_sigaction(sigaction, SIGUSR1, &action, &old), 0);
	assert_ptr_equal(old.sa_handler, programs);
	raise(SIGUSR1);
	assert_int_equal(ours_ran, 1);
	assert_ptr_equal(seen().sa_handler, SIG_DFL);
}

/* What a program does that saves and restores. */
static void what_the_program_has_seen_can_be_set_again(void **state)
{
	struct sigaction action = {.sa_handler = programs}, old;
	(void)state;
	dispositions_set(SIGUSR1, ours, NULL);
	assert_int_equal(stmlog_sigaction(sigaction, SIGUSR1, &action, &old), 0);
	raise(SIGUSR1);
	assert_int_equal(programs_ran, 1);
	assert_int_equal(stmlog_sigaction(sigaction, SIGUSR1, &old, NULL), 0);
	raise(SIGUSR1);
	assert_int_equal(ours_ran, 1);
}

static void one_struct_for_the_new_and_the_old_action_works(void **state)
{
	struct sigaction action = {.sa_handler = programs};
	(void)state;
	dispositions_set(SIGUSR1, ours, NULL);
	assert_int_equal(stmlog_sigaction(sigaction, SIGUSR1, &action, &action), 0);
	assert_ptr_equal(action.sa_handler, SIG_DFL);
	raise(SIGUSR1);
	assert_int_equal(programs_ran, 1);
}

static void a_handler_that_was_taken_away_is_not_set_again(void **state)
{
	struct sigaction now;
	(void)state;
	dispositions_set(SIGUSR1, ours, NULL);
	dispositions_unset(SIGUSR1, ours);
	the_program_sets(SIG_DFL);
	sigaction(SIGUSR1, NULL, &now);
	assert_ptr_equal(now.sa_handler, SIG_DFL);
}

static void the_first_of_two_handlers_stays(void **state)
{
	(void)state;
	dispositions_set(SIGUSR1, ours, NULL);
	dispositions_set(SIGUSR1, another_of_ours, NULL);
	dispositions_unset(SIGUSR1, another_of_ours);
	the_program_sets(SIG_DFL);
	raise(SIGUSR1);
	assert_int_equal(ours_ran, 1);
	assert_int_equal(others_ran, 0);
}

static void reset_gives_the_default_action(void **state)
{
	struct sigaction now;
	(void)state;
	dispositions_set(SIGUSR1, ours, NULL);
	dispositions_reset(SIGUSR1);
	sigaction(SIGUSR1, NULL, &now);
	assert_ptr_equal(now.sa_handler, SIG_DFL);
}

static void the_library_calls_the_function_that_it_was_given(void **state)
{
	(void)state;
	dispositions_use(counting);
	dispositions_set(SIGUSR1, ours, NULL);
	assert_int_not_equal(calls, 0);
	raise(SIGUSR1);
	assert_int_equal(ours_ran, 1);
}

static void a_number_that_is_no_signal_is_the_systems_business(void **state)
{
	struct sigaction old;
	(void)state;
	for (int number = -1; number <= NSIG; number += NSIG + 1) {
		errno = 0;
		assert_int_equal(stmlog_sigaction(sigaction, number, NULL, &old), -1);
		assert_int_equal(errno, EINVAL);
	}
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(a_handler_runs_and_is_not_seen),
		CASE(the_signals_of_the_mask_are_blocked),
		CASE(a_handler_of_the_program_is_left_alone_and_seen),
		CASE(an_ignored_signal_stays_ignored),
		CASE(the_default_action_set_by_the_program_is_our_handler),
		CASE(what_the_program_has_seen_can_be_set_again),
		CASE(one_struct_for_the_new_and_the_old_action_works),
		CASE(a_handler_that_was_taken_away_is_not_set_again),
		CASE(the_first_of_two_handlers_stays),
		CASE(reset_gives_the_default_action),
		CASE(the_library_calls_the_function_that_it_was_given),
		CASE(a_number_that_is_no_signal_is_the_systems_business),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
