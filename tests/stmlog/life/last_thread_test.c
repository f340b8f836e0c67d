/* SPDX-License-Identifier: MIT
 * Whether a thread is the last one of its process; each case in a child of its own. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "last_thread.h"
#include "temp_dir.h"
#include "child.h"

/* Signals of which a child dies, and an exit status. When the first thread has ended, valgrind takes what it had on its
 * stack for lost, and changes the status of a process that ends by itself. */
enum { YES = SIGUSR1, NO = SIGUSR2, CANNOT = 100 };

static sem_t never;

/* Runs `body` in a child and returns how it has ended. */
static int in_a_child(void (*body)(void *arg), void *arg)
{
	pid_t pid = fork();
	if (pid == 0) {
		body(arg);
		_exit(1);
	}
	int status = child_end(pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void answer(void)
{
	kill(getpid(), last_thread_is_caller() ? YES : NO);
	for (;;)
		pause();
}

static void *answer_on_thread(void *unused)
{
	answer();
	return unused;
}

/* The first thread needs some time to end; gives up after a time that no healthy machine needs. */
static void *answer_when_alone(void *unused)
{
	for (int i = 0; i < 3000 && !last_thread_is_caller(); i++)
		usleep(10000);
	answer();
	return unused;
}

static void *answer_beside_a_zombie(void *unused)
{
	usleep(50000); /* the first thread has ended by now; if not, the answer is the same */
	answer();
	return unused;
}

static void *stand(void *unused)
{
	sem_wait(&never);
	return unused;
}

static void start(void *(*body)(void *arg))
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, body, NULL) != 0)
		_exit(CANNOT);
}

static void be_alone(void *unused)
{
	(void)unused;
	answer();
}

static void be_with_another(void *unused)
{
	(void)unused;
	start(stand);
	answer();
}

static void answer_beside_the_first(void *name)
{
	prctl(PR_SET_NAME, name);
	start(answer_on_thread);
	for (;;)
		pause();
}

static void end_the_first(void *unused)
{
	start(answer_when_alone);
	pthread_exit(unused);
}

static void end_the_first_of_three(void *unused)
{
	start(stand);
	start(answer_beside_a_zombie);
	pthread_exit(unused);
}

static void see_no_proc(void *directory)
{
	if (chroot(directory) != 0)
		_exit(CANNOT);
	answer();
}

/* The thread sanitizer has a thread of its own. */
static void skip_with_another(void)
{
#ifdef __SANITIZE_THREAD__
	skip();
#endif
}

static void the_only_thread_is_the_last(void **state)
{
	(void)state;
	skip_with_another();
	assert_int_equal(in_a_child(be_alone, NULL), YES);
}

static void with_another_thread_it_is_not(void **state)
{
	(void)state;
	assert_int_equal(in_a_child(be_with_another, NULL), NO);
	assert_int_equal(in_a_child(answer_beside_the_first, "program"), NO);
}

/* The name stands before the state in /proc/self/stat. */
static void the_name_of_the_program_is_not_taken_for_its_state(void **state)
{
	(void)state;
	assert_int_equal(in_a_child(answer_beside_the_first, ") Z"), NO);
	assert_int_equal(in_a_child(answer_beside_the_first, "x) Z 1 (y"), NO);
}

static void the_only_thread_besides_an_ended_first_one_is_the_last(void **state)
{
	(void)state;
	skip_with_another();
	assert_int_equal(in_a_child(end_the_first, NULL), YES);
}

static void two_threads_besides_an_ended_first_one_are_not(void **state)
{
	(void)state;
	assert_int_equal(in_a_child(end_the_first_of_three, NULL), NO);
}

static void without_proc_nobody_is_known_to_be_the_last(void **state)
{
	int status = in_a_child(see_no_proc, *state);
	if (status == CANNOT)
		skip(); /* only root may change the root directory */
	assert_int_equal(status, NO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_only_thread_is_the_last),
		cmocka_unit_test(with_another_thread_it_is_not),
		cmocka_unit_test(the_name_of_the_program_is_not_taken_for_its_state),
		cmocka_unit_test(the_only_thread_besides_an_ended_first_one_is_the_last),
		cmocka_unit_test(two_threads_besides_an_ended_first_one_are_not),
		cmocka_unit_test_setup_teardown(
			without_proc_nobody_is_known_to_be_the_last, temp_dir_setup, temp_dir_teardown),
	};
	sem_init(&never, 0, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
