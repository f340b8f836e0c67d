/* SPDX-License-Identifier: MIT
 * A child of the test is the program; it and its companion are killed. The heir tells the test by a shared mapping. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checker.h"
#include "child.h"
#include "heir.h"
#include "mem.h"
#include "test.h"

enum { RESERVE = 1 << 20, PIECES = 64 };

static struct seen {
	volatile int is_called, begins_as_one, begins_as_zero, early, late;
	volatile pid_t heir;
} * seen;

static struct companion companion;
static volatile AO_t may_end;
static volatile int begins_as_one = 1, begins_as_zero;
static volatile int *early, *late; /* mapped before and after the heir has begun */

static bool may_trace(void)
{
	pid_t pid = has_checker() ? -1 : fork();
	if (pid == 0)
		for (;;)
			pause();
	bool may = pid > 0 && ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0;
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return may;
}

static int *map_shared(int flags)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

/* Returns the number behind the word in /proc/PID/status. */
static long status_of(pid_t pid, const char *word)
{
	char path[64], line[256];
	long number = -1;
	sprintf(path, "/proc/%d/status", (int)pid);
	FILE *file = fopen(path, "r");
	while (file != NULL && fgets(line, sizeof line, file) != NULL)
		if (strncmp(line, word, strlen(word)) == 0)
			number = line[strlen(word) + 1] == 'Z' ? 'Z' : strtol(line + strlen(word), NULL, 10);
	if (file != NULL)
		fclose(file);
	return number;
}

static bool has_ended(pid_t pid)
{
	return (kill(pid, 0) != 0 && errno == ESRCH) || status_of(pid, "State:") == 'Z';
}

/* ---- the child ---- */

/* Its own pieces of memory must not cover the program's. */
static void inherit(void)
{
	for (int i = 0; i < PIECES; i++)
		memset(mem_alloc(4096), -1, 4096);
	seen->begins_as_one = begins_as_one;
	seen->begins_as_zero = begins_as_zero;
	seen->early = *early;
	seen->late = *late;
	seen->is_called = 1;
}

static void (*inheritance)(void) = inherit;

static void attend(void)
{
	seen->heir = heir_start(&companion, inheritance, RESERVE);
	while (AO_load_acquire(&may_end) == 0)
		usleep(1000);
}

/* Returns when the heir traces the companion, and the child has gone on for a while. */
static void begin(void)
{
	early = map_shared(MAP_PRIVATE);
	if (!companion_start(&companion, attend))
		_exit(1);
	while (status_of(companion.pid, "TracerPid:") <= 0)
		usleep(1000);
	begins_as_one = 2;
	begins_as_zero = 3;
	*early = 4;
	late = map_shared(MAP_PRIVATE);
	*late = 5;
}

/* Forks the child, which runs `end`, and waits until its heir has ended. Returns the child's status. */
static int run(void (*end)(void))
{
	seen = (struct seen *)map_shared(MAP_SHARED);
	pid_t pid = fork();
	if (pid == 0) {
		begin();
		end();
		_exit(0);
	}
	int status = child_end(pid);
	for (int i = 0; i < 3000 && !has_ended(seen->heir); i++)
		usleep(10000);
	assert_true(seen->heir > 0 && has_ended(seen->heir));
	return status;
}

static void kill_both(void)
{
	kill(companion.pid, SIGKILL);
	raise(SIGKILL);
}

static void kill_companion(void)
{
	kill(companion.pid, SIGKILL);
	companion_wait(&companion);
}

static void end_companion(void)
{
	AO_store_release(&may_end, 1);
	companion_wait(&companion);
}

/* ---- claims ---- */

TEST_IF(may_trace, it_has_the_memory_as_the_killed_processes_have_left_it)
{
	assert_int_equal(run(kill_both), SIGKILL);
	assert_int_equal(seen->is_called, 1);
	assert_int_equal(seen->begins_as_one, 2);
	assert_int_equal(seen->begins_as_zero, 3);
	assert_int_equal(seen->early, 4);
	assert_int_equal(seen->late, 5);
}

TEST_IF(may_trace, it_ends_with_a_companion_that_is_killed_alone)
{
	assert_int_equal(run(kill_companion), 0);
	assert_int_equal(seen->is_called, 0);
}

TEST_IF(may_trace, it_ends_with_a_companion_that_ends)
{
	assert_int_equal(run(end_companion), 0);
	assert_int_equal(seen->is_called, 0);
}

static volatile int *volatile touched = (int *)64; /* no page has it */

static void inherit_nothing(void)
{
	seen->is_called = *touched + 1;
}

TEST_IF(may_trace, it_ends_at_a_page_that_the_companion_has_not)
{
	inheritance = inherit_nothing;
	assert_int_equal(run(kill_both), SIGKILL);
	inheritance = inherit;
	assert_int_equal(seen->is_called, 0);
}

static void start_without_being_one(void)
{
	struct companion other = {.pid = 1};
	heir_start(&other, inherit, RESERVE);
}

TEST(only_a_companion_has_one)
{
	child_is_stopped(start_without_being_one, "companion_is_here");
}
