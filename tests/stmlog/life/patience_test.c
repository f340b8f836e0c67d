/* SPDX-License-Identifier: MIT
 * How long another process is waited for. The waiting itself is only said here, not done. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "patience.h"
#include "test.h"

static void stand(void)
{
	for (;;)
		pause();
}

static void work(void)
{
	for (volatile int i = 0;; i++)
		continue;
}

static void end(void)
{
	_exit(0);
}

static pid_t begin(void (*body)(void))
{
	pid_t pid = fork();
	if (pid == 0)
		body();
	assert_true(pid > 0);
	return pid;
}

static void finish(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void expect_over_after(struct patience *patience, unsigned ms)
{
	for (unsigned waited = 500; waited < ms; waited += 500)
		assert_false(patience_is_over(patience, 500));
	assert_true(patience_is_over(patience, 500));
}

static uint64_t used_by(const struct patience *patience)
{
	struct timespec time;
	assert_int_equal(clock_gettime(patience->clock, &time), 0);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Returns when the process's clock has not moved for a while: it sleeps. */
static void wait_until_it_stands(const struct patience *patience)
{
	uint64_t before;
	do {
		before = used_by(patience);
		usleep(20000);
	} while (used_by(patience) != before);
}

TEST(a_process_that_stands_is_waited_for_two_seconds)
{
	pid_t pid = begin(stand);
	struct patience patience = patience_with(pid);
	assert_true(patience.has_clock);
	wait_until_it_stands(&patience);
	assert_false(patience_is_over(&patience, 500)); /* it has worked before */
	expect_over_after(&patience, PATIENCE_MS);
	assert_true(patience_is_over(&patience, 1));
	finish(pid);
}

TEST(a_process_that_works_is_waited_for_however_long)
{
	pid_t pid = begin(work);
	struct patience patience = patience_with(pid);
	for (int i = 0; i < 100; i++) {
		while (used_by(&patience) == patience.used_ns)
			usleep(100);
		assert_false(patience_is_over(&patience, PATIENCE_MS));
	}
	finish(pid);
}

TEST(a_process_that_works_again_is_waited_for_as_at_first)
{
	pid_t pid = begin(work);
	struct patience patience = patience_with(pid);
	patience.stood_ms = PATIENCE_MS - 1;
	while (used_by(&patience) == patience.used_ns)
		usleep(100);
	assert_false(patience_is_over(&patience, 500));
	assert_int_equal(patience.stood_ms, 0);
	finish(pid);
}

/* Such a process cannot be told from one that stands. */
TEST(a_process_that_has_ended_is_waited_for_two_seconds)
{
	pid_t pid = begin(end);
	struct patience patience = patience_with(pid), without_clock = {.has_clock = false};
	waitpid(pid, NULL, 0);
	expect_over_after(&patience, PATIENCE_MS);
	expect_over_after(&without_clock, PATIENCE_MS);
}
