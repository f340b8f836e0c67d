/* SPDX-License-Identifier: MIT
 * A process that shares the memory of the test; how long an idle process is waited for: these tests say how long they
 * have waited, and do not wait; and the end of the parent's process, as its child sees it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "child.h"
#include "companion.h"
#include "fake_clock.h"
#include "mem.h"
#include "proc.h"
#include "test.h"
#include "wait_until.h"

static bool has_no_checker(void)
{
	return !has_checker();
}

static struct companion companion;
static volatile AO_t may_end;
static int seen_pid, seen_fd;

static void note(void)
{
	seen_pid = getpid();
	errno = EXDEV;
	close(seen_fd);
	WAIT_UNTIL(AO_load_acquire(&may_end) != 0);
}

/* The usual stack of a thread has 8 MB; the space is set before any thread has left one to be used again. */
TEST_IF(has_no_checker, it_starts_where_little_address_space_is_left)
{
	enum { LEFT = 1 << 20 };
	if (in_forked_child()) {
		child_leave_space(LEFT);
		AO_store(&may_end, 1);
		if (!companion_start(&companion, note))
			_exit(1);
		companion_wait(&companion);
		_exit(0);
	}
}

TEST_IF(has_no_checker, it_shares_memory_and_neither_descriptors_nor_errno)
{
	int status;
	AO_store(&may_end, 0);
	seen_fd = dup(STDERR_FILENO);
	assert_true(companion_start(&companion, note));
	errno = 0;
	assert_false(companion_has_ended(&companion));
	assert_false(companion_is_here(&companion));
	AO_store_release(&may_end, 1);
	companion_wait(&companion);
	assert_int_equal(errno, 0);
	assert_int_equal(seen_pid, companion.pid);
	assert_int_not_equal(seen_pid, getpid());
	assert_int_equal(close(seen_fd), 0); /* it was open here */
	assert_int_equal(wait(&status), -1);
	companion_fini(&companion);
	assert_int_equal(mem_live_bytes(), 0);
}

/* The next process or thread has this number, unless another program is quicker. Only root may choose it. */
static bool choose_next_number(unsigned number)
{
	FILE *file = fopen("/proc/sys/kernel/ns_last_pid", "w");
	if (file == NULL)
		return false;
	fprintf(file, "%u", number - 1);
	return fclose(file) == 0;
}

/* The lender's descriptor begins with a pointer to itself. */
static unsigned upper_half(pthread_t lender)
{
	return (unsigned)((uint64_t)lender >> 32);
}

static bool can_choose_numbers(void)
{
	return !has_checker() && upper_half(pthread_self()) > 0 && choose_next_number(upper_half(pthread_self()));
}

/* The number was looked for in the descriptor, and the pointer's half was found first. */
TEST_IF(can_choose_numbers, a_thread_with_the_number_of_a_pointers_half_lends_its_memory_too)
{
	enum { TRIES = 100 };
	unsigned number = upper_half(pthread_self());
	bool was_equal = false;
	AO_store(&may_end, 1);
	for (int tries = 0; tries < TRIES && !was_equal; tries++) {
		int status;
		seen_fd = dup(STDERR_FILENO);
		choose_next_number(number);
		assert_true(companion_start(&companion, note));
		number = upper_half(companion.lender);
		was_equal = (unsigned)AO_load(&companion.lender_tid) == number;
		assert_int_equal(waitpid(companion.pid, &status, (int)__WCLONE), companion.pid);
		assert_int_equal(status, 0);
		close(seen_fd);
		companion_fini(&companion);
	}
	assert_true(was_equal);
	assert_int_equal(mem_live_bytes(), 0);
}

static void wait_for_nothing(void)
{
	for (;;)
		pause();
}

TEST_IF(has_no_checker, one_that_was_killed_is_found_and_given_back)
{
	assert_true(companion_start(&companion, wait_for_nothing));
	kill(companion.pid, SIGKILL);
	companion_wait(&companion);
	assert_true(companion_has_ended(&companion));
	companion_fini(&companion);
	assert_int_equal(mem_live_bytes(), 0);
}

/* Shared with the test by a mapping, since the companion shares the memory of the test's child alone. */
static volatile int *told;
static int secret; /* of the child, after the companion has begun */

static void tell_secret(void)
{
	WAIT_UNTIL(getppid() != companion.host);
	*told = secret;
}

TEST_IF(has_no_checker, it_has_the_memory_when_the_process_is_killed)
{
	told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(told, MAP_FAILED);
	pid_t pid = fork();
	if (pid == 0) {
		if (!companion_start(&companion, tell_secret))
			_exit(1);
		secret = 42;
		raise(SIGKILL);
	}
	assert_int_equal(child_end(pid), SIGKILL);
	WAIT_UNTIL(*told != 0);
	assert_int_equal(*told, 42);
}

TEST_IF(has_no_checker, without_memory_there_is_none)
{
	mem_fail_at(1);
	assert_false(companion_start(&companion, wait_for_nothing));
	mem_fail_at(0);
	assert_int_equal(mem_live_bytes(), 0);
}

TEST_IF(has_checker, where_a_checker_looks_on_there_is_none)
{
	assert_false(companion_start(&companion, wait_for_nothing));
}

/* ---- idle time ---- */

static void expect_over_after(struct idle_time *idle, unsigned ms)
{
	for (unsigned waited = 500; waited < ms; waited += 500)
		assert_false(idle_time_is_over(idle, 500));
	assert_true(idle_time_is_over(idle, 500));
}

static char state_of(pid_t pid)
{
	struct process_stat stat = process_stat_read(pid);
	return process_stat_state(&stat);
}

static void wait_for_signals(void)
{
	for (;;)
		pause();
}

/* As when it waits for a disk, nothing wakes a process that waits for the child of its vfork(). Checkers make a fork()
 * of that. */
static void wait_for_disk(void)
{
	if (vfork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		wait_for_signals();
	}
}

/* Returns a child that runs `wait`, and is in this state. */
static pid_t child_in(char state, void (*wait)(void))
{
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		wait();
		_exit(0);
	}
	WAIT_UNTIL(state_of(pid) == state);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(child_end(pid), SIGKILL);
}

TEST(an_idle_process_is_waited_for_two_seconds)
{
	pid_t pid = child_in('S', wait_for_signals);
	struct idle_time idle = idle_time_begin(pid);
	assert_true(idle.has_clock);
	fake_clock_advance(1);
	assert_false(idle_time_is_over(&idle, 500)); /* it has worked before */
	expect_over_after(&idle, IDLE_MAX_MS);
	assert_true(idle_time_is_over(&idle, 1));
	end_child(pid);
}

TEST_IF(has_no_checker, a_process_that_waits_for_a_disk_is_waited_for_however_long)
{
	pid_t pid = child_in('D', wait_for_disk);
	struct idle_time idle = idle_time_begin(pid);
	for (int i = 0; i < 100; i++)
		assert_false(idle_time_is_over(&idle, IDLE_MAX_MS));
	end_child(pid);
}

TEST(a_process_that_waits_for_a_processor_is_waited_for_however_long)
{
	struct idle_time idle = idle_time_begin(getpid()); /* runs now, so it does not sleep */
	for (int i = 0; i < 100; i++)
		assert_false(idle_time_is_over(&idle, IDLE_MAX_MS));
}

TEST(a_process_that_works_is_waited_for_however_long)
{
	pid_t pid = child_in('S', wait_for_signals);
	struct idle_time idle = idle_time_begin(pid);
	for (int i = 0; i < 100; i++) {
		fake_clock_advance(1);
		assert_false(idle_time_is_over(&idle, IDLE_MAX_MS));
	}
	end_child(pid);
}

TEST(a_process_that_works_again_is_waited_for_as_at_first)
{
	pid_t pid = child_in('S', wait_for_signals);
	struct idle_time idle = idle_time_begin(pid);
	idle.idle_ms = IDLE_MAX_MS - 1;
	fake_clock_advance(1);
	assert_false(idle_time_is_over(&idle, 500));
	assert_int_equal(idle.idle_ms, 0);
	end_child(pid);
}

/* Such a process cannot be distinguished from an idle one. */
TEST(a_process_that_has_ended_is_waited_for_two_seconds)
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	struct idle_time idle = idle_time_begin(pid), without_clock = {.has_clock = false};
	assert_child_succeeds(pid);
	expect_over_after(&idle, IDLE_MAX_MS);
	expect_over_after(&without_clock, IDLE_MAX_MS);
}

/* ---- the host ---- */

/* What the child of a process that ends by `end` says of it; the process is still a zombie. */
static int seen_by_child_of(void (*end)(void), int (*see)(void))
{
	int ends[2], begun[2], seen = -1;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pipe(begun), 0);
	pid_t host = fork();
	if (host == 0) {
		if (fork() == 0) {
			host_note(getppid());
			(void)!write(begun[1], "", 1);
			WAIT_UNTIL(host_has_ended());
			seen = see();
			(void)!write(ends[1], &seen, sizeof seen);
			_exit(0);
		}
		char byte;
		(void)!read(begun[0], &byte, 1);
		end();
	}
	assert_int_equal(read(ends[0], &seen, sizeof seen), sizeof seen);
	waitpid(host, NULL, 0);
	for (int i = 0; i < 2; i++) {
		close(ends[i]);
		close(begun[i]);
	}
	return seen;
}

static void leave(void)
{
	_exit(9);
}

static void die(void)
{
	raise(SIGKILL);
}

static int has_left(void)
{
	return host_has_left();
}

TEST(the_signal_that_ends_a_process_is_known_until_its_parent_has_asked)
{
	assert_int_equal(seen_by_child_of(die, host_signal), SIGKILL);
	assert_int_equal(seen_by_child_of(leave, host_signal), 0);
	assert_int_equal(seen_by_child_of(leave, has_left), 1);
}

static int looks_at_living_parent(void)
{
	host_note(getppid());
	return host_has_ended() || host_has_left() || host_signal() != 0;
}

TEST(a_process_that_goes_on_has_not_left)
{
	if (in_forked_child())
		_exit(looks_at_living_parent());
}

TEST(a_process_that_is_none_has_not_left_its_memory)
{
	host_note(0);
	assert_true(host_has_ended()); /* it is not the parent */
	assert_int_equal(host_signal(), 0);
}
