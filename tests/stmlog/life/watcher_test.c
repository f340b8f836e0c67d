/* SPDX-License-Identifier: MIT
 * Outputs while the program runs, and when a signal ends it; each case in a child of its own. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <stmlog/agent.h>

#include "capture_stderr.h"
#include "check.h"
#include "child.h"
#include "companion.h"
#include "mem.h"
#include "test.h"
#include "wait_until.h"

static char directory[] = "/tmp/stmlog-watcher-XXXXXX";
static char path[128];

static bool is_written(void)
{
	struct stat status;
	return stat(path, &status) == 0 && status.st_size > 0;
}

static void open_and_transact(const char *with)
{
	static const struct stmlog_setup setup = {.runtime = "test", .report = "none"};
	char text[256];
	snprintf(text, sizeof text, "out=%s:%s", path, with);
	setenv("STMLOG_OPTIONS", text, 1);
	if (stmlog_open(&setup) != 0)
		_exit(50);
	struct stmlog_thread *me = stmlog_thread_open(NULL);
	stmlog_start(me);
	stmlog_commit(me);
}

/* The file of the last case goes, and the next case gets another path: the watcher of a program that has ended may
 * still be about to write. */
static void begin_case(void)
{
	static int number;
	unlink(path);
	snprintf(path, sizeof path, "%s/data%d", directory, ++number);
}

static bool has_watcher(void)
{
	return !has_checker();
}

/* Runs `body` in a child and returns how it ended. */
static int in_a_child(void (*body)(void))
{
	begin_case();
	pid_t pid = fork();
	if (pid == 0) {
		body();
		_exit(51);
	}
	return child_end(pid);
}

/* A test whose body a child runs, which must exit with status 0. */
#define TEST_IN_A_CHILD(claim)                                  \
	static void claim##_there(void);                        \
	TEST_IF(has_watcher, claim)                             \
	{                                                       \
		assert_int_equal(in_a_child(claim##_there), 0); \
	}                                                       \
	static void claim##_there(void)

/* When a program has ended, its watcher becomes a child of the test. */
static void wait_for_watchers(void)
{
	while (waitpid(-1, NULL, __WALL) > 0)
		continue;
}

static struct {
	const char *name;
	int number;
} asked; /* the signal of the case */

static void is_asked_by_that_signal(void)
{
	char option[32];
	snprintf(option, sizeof option, "signal=%s", asked.name);
	open_and_transact(option);
	raise(asked.number);
	WAIT_UNTIL(is_written());
	_exit(0);
}

TEST_IF(has_watcher, any_of_five_signals_makes_the_outputs_and_the_program_goes_on)
{
	static const char *const names[] = {"USR1", "USR2", "HUP", "WINCH", "URG"};
	static const int numbers[] = {SIGUSR1, SIGUSR2, SIGHUP, SIGWINCH, SIGURG};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		asked.name = names[i];
		asked.number = numbers[i];
		assert_int_equal(in_a_child(is_asked_by_that_signal), 0);
	}
}

static const char *options;

static void opens_with_options(void)
{
	open_and_transact(options);
	_exit(0);
}

static void expect_told(const char *with, const char *word)
{
	char told[1024];
	options = with;
	capture_stderr_begin();
	int status = in_a_child(opens_with_options);
	capture_stderr_end(told, sizeof told);
	assert_int_equal(status, 0);
	if (word == NULL)
		assert_string_equal(told, "");
	else
		assert_non_null(strstr(told, word));
}

TEST(values_that_are_none_are_told)
{
	expect_told("signal=TERM", "USR1, USR2, HUP, WINCH or URG");
	expect_told("kill=maybe", "flush or default");
	expect_told("snapshot=0", "snapshot");
	expect_told("kill=default", NULL);
	expect_told("snapshot=off", NULL);
}

/* ---- unnoticed ---- */

static int tasks(void)
{
	DIR *stream = opendir("/proc/self/task");
	struct dirent *entry;
	int count = 0;
	while ((entry = readdir(stream)) != NULL)
		count += entry->d_name[0] != '.';
	closedir(stream);
	return count;
}

TEST_IN_A_CHILD(the_program_sees_neither_a_thread_nor_a_child_nor_a_handler)
{
	struct sigaction now;
	int before = tasks(), status;
	open_and_transact("snapshot=1:kill=flush");
	sigaction(SIGTERM, NULL, &now);
	if (tasks() != before || now.sa_handler != SIG_DFL)
		_exit(1);
	_exit(wait(&status) == -1 && errno == ECHILD ? 0 : 2);
}

TEST_IN_A_CHILD(a_process_that_filters_its_calls_has_a_watcher)
{
	open_and_transact("kill=default");
	stmlog_before_filter();
	stmlog_before_filter();
	stmlog_close();
	_exit(is_written() ? 0 : 2);
}

/* Pages that madvise() has given back would not be in memory. */
TEST_IN_A_CHILD(a_process_that_filters_its_calls_frees_memory_without_madvise)
{
	unsigned char resident = 0;
	open_and_transact("kill=default");
	stmlog_before_filter();
	char *page = mem_alloc(4096);
	memset(page, 1, 4096);
	mem_free(page, 4096);
	_exit(mincore(page, 1, &resident) != 0 || (resident & 1) == 0 ? 1 : 0);
}

TEST_IN_A_CHILD(a_child_of_such_a_process_makes_no_outputs)
{
	int status = 1;
	open_and_transact("kill=default");
	stmlog_before_filter();
	pid_t pid = fork();
	if (pid == 0) {
		struct stmlog_thread *me = stmlog_thread_open(NULL);
		stmlog_start(me);
		stmlog_commit(me);
		stmlog_close();
		_exit(is_written());
	}
	waitpid(pid, &status, 0);
	_exit(status != 0);
}

/* ---- while the program runs ---- */

static void waits_for_a_snapshot(void)
{
	open_and_transact(options);
	WAIT_UNTIL(is_written());
	_exit(0);
}

TEST_IF(has_watcher, a_snapshot_comes_by_itself)
{
	options = "snapshot=1";
	assert_int_equal(in_a_child(waits_for_a_snapshot), 0);
	options = "snapshot=auto";
	assert_int_equal(in_a_child(waits_for_a_snapshot), 0);
}

static int killer; /* the signal of the case; 0: the process ends by a system call */

static void is_killed(void)
{
	open_and_transact("kill=flush");
	if (killer == 0)
		syscall(SYS_exit_group, 7);
	signal(killer, SIG_DFL);
	raise(killer);
	_exit(52); /* must not be reached */
}

TEST_IF(has_watcher, however_the_program_dies_its_recording_is_written)
{
	static const int killers[] = {SIGKILL, SIGTERM, SIGINT, SIGSEGV, SIGXCPU, SIGUSR1, SIGALRM, SIGPIPE, 0};
	for (size_t i = 0; i < sizeof killers / sizeof *killers; i++) {
		killer = killers[i];
		int status = in_a_child(is_killed);
		if (killer != 0)
			assert_true(WIFSIGNALED(status) && WTERMSIG(status) == killer);
		else
			assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
		WAIT_UNTIL(is_written());
	}
}

/* The child without a signal at its end. */
static pid_t watcher_of_caller(void)
{
	char children[64], name[64];
	snprintf(name, sizeof name, "/proc/self/task/%d/children", getpid());
	FILE *file = fopen(name, "r");
	bool is_read = file != NULL && fgets(children, sizeof children, file) != NULL;
	if (file != NULL)
		fclose(file);
	return is_read ? (pid_t)strtol(children, NULL, 10) : 0;
}

static void loses_its_watcher(void)
{
	open_and_transact("kill=flush");
	pid_t watcher = watcher_of_caller();
	if (watcher == 0)
		_exit(77);
	kill(watcher, SIGKILL);
	siginfo_t info;
	waitid(P_PID, (id_t)watcher, &info, WEXITED | WNOWAIT | (int)__WCLONE);
	stmlog_close();
	_exit(is_written() ? 0 : 1);
}

TEST_IF(has_watcher, a_program_whose_watcher_was_killed_writes_for_itself)
{
	int status = in_a_child(loses_its_watcher);
	if (WEXITSTATUS(status) == 77)
		skip(); /* the kernel does not list children */
	assert_int_equal(status, 0);
}

/* The watcher has descriptors of its own, and gets no limit that comes later. */
static void closes_everything_and_is_killed(void)
{
	static const struct rlimit none;
	open_and_transact("kill=flush");
	close_range(0, ~0U, 0);
	setrlimit(RLIMIT_FSIZE, &none);
	raise(SIGKILL);
}

TEST_IF(has_watcher, what_the_program_closes_and_forbids_itself_does_not_matter)
{
	in_a_child(closes_everything_and_is_killed);
	WAIT_UNTIL(is_written());
}

static void is_killed_with_the_option_that_is_not_set(void)
{
	open_and_transact("snapshot=60:kill=default");
	raise(SIGKILL);
}

TEST_IF(has_watcher, without_the_option_a_death_leaves_nothing)
{
	in_a_child(is_killed_with_the_option_that_is_not_set);
	wait_for_watchers();
	assert_false(is_written());
}

static void becomes_another_image(void)
{
	open_and_transact("kill=flush");
	execl("/bin/sleep", "sleep", "60", NULL);
}

TEST_IF(has_watcher, what_an_image_has_recorded_is_written_when_another_one_takes_its_place)
{
	begin_case();
	pid_t pid = fork();
	if (pid == 0)
		becomes_another_image();
	WAIT_UNTIL(is_written());
	assert_int_equal(kill(pid, 0), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Longer than a program would wait for a watcher that gets no further. */
#define MUCH_MS (IDLE_MAX_MS + IDLE_MAX_MS / 8)

static void work_for_long(void *unused)
{
	struct timespec time;
	(void)unused;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	while (1000 * time.tv_sec + time.tv_nsec / 1000000 < MUCH_MS);
}

static void is_about_to_leave_and_stays(void)
{
	open_and_transact("kill=flush");
	for (int i = 0; i < 3; i++) {
		stmlog_before_leaving();
		execl("/nowhere", "nowhere", NULL);
	}
	if (is_written())
		_exit(1);
	stmlog_flush();
	if (!is_written())
		_exit(2);
	stmlog_before_leaving();
	raise(SIGKILL);
}

TEST_IF(has_watcher, a_process_that_does_not_leave_after_all_is_watched_as_before)
{
	int status = in_a_child(is_about_to_leave_and_stays);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_true(is_written());
}

static void leaves_with_nobody_watching(void)
{
	open_and_transact("kill=default");
	stmlog_before_leaving();
	_exit(is_written() ? 0 : 1);
}

TEST(without_a_watcher_the_outputs_are_made_before_the_process_leaves)
{
	assert_int_equal(in_a_child(leaves_with_nobody_watching), 0);
}

static void ends_while_the_watcher_has_much_to_do(void)
{
	static const struct stmlog_setup slow = {.runtime = "slow", .report = "none", .before_report = work_for_long};
	open_and_transact("kill=flush");
	if (stmlog_open(&slow) != -EALREADY)
		_exit(53);
	exit(0);
}

TEST_IF(has_watcher, a_program_waits_at_its_end_as_long_as_its_recording_is_made)
{
	assert_int_equal(in_a_child(ends_while_the_watcher_has_much_to_do), 0);
	assert_true(is_written());
}

static pthread_mutex_t of_the_program = PTHREAD_MUTEX_INITIALIZER;

static void wait_for_the_program(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&of_the_program);
	pthread_mutex_unlock(&of_the_program);
}

static void ends_in_the_middle_of_its_own_lock(void)
{
	static const struct stmlog_setup waiting = {
		.runtime = "waiting", .report = "none", .before_report = wait_for_the_program};
	open_and_transact("kill=flush");
	if (stmlog_open(&waiting) != -EALREADY)
		_exit(53);
	pthread_mutex_lock(&of_the_program);
	exit(7);
}

TEST_IF(has_watcher, a_program_ends_although_the_watcher_waits_for_it)
{
	int status = in_a_child(ends_in_the_middle_of_its_own_lock);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

static void has_a_handler_of_its_own(int number)
{
	(void)number;
	_exit(7);
}

static void handles_the_signal_itself(void)
{
	signal(SIGTERM, has_a_handler_of_its_own);
	open_and_transact("kill=flush");
	raise(SIGTERM);
}

TEST(a_handler_of_the_programs_is_left_alone)
{
	int status = in_a_child(handles_the_signal_itself);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

static void forks_and_kills_the_child(void)
{
	open_and_transact("kill=flush");
	pid_t pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	int status;
	kill(pid, SIGTERM);
	waitpid(pid, &status, 0);
	_exit(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 0 : 1);
}

TEST(a_forked_child_can_be_killed_too)
{
	assert_int_equal(in_a_child(forks_and_kills_the_child), 0);
}

static void forks_a_child_that_does_nothing(void)
{
	open_and_transact("report=none");
	pid_t pid = fork();
	if (pid == 0)
		exit(0);
	char of_child[160];
	int status;
	waitpid(pid, &status, 0);
	snprintf(of_child, sizeof of_child, "%s.%d", path, (int)pid);
	_exit(status == 0 && access(of_child, F_OK) != 0 ? 0 : 1);
}

TEST(a_forked_child_that_does_nothing_writes_nothing)
{
	assert_int_equal(in_a_child(forks_a_child_that_does_nothing), 0);
}

TEST_IN_A_CHILD(closing_takes_the_watcher_and_the_handler_away)
{
	for (int i = 0; i < 3; i++) {
		open_and_transact("kill=flush:snapshot=60:signal=USR1");
		stmlog_close();
	}
	struct sigaction now;
	sigaction(SIGUSR1, NULL, &now);
	_exit(is_written() && now.sa_handler == SIG_DFL && waitpid(-1, NULL, __WALL) == -1 ? 0 : 1);
}

static void make_directory(void)
{
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0); /* for wait_for_watchers() */
	assert_non_null(mkdtemp(directory));
}

static void remove_directory(void)
{
	char name[sizeof path];
	wait_for_watchers();
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof name, "%s/data%d", directory, i);
		unlink(name);
	}
	assert_int_equal(rmdir(directory), 0);
}

static const struct test_fixture fixture = {make_directory, remove_directory};

GROUP_WITH(fixture);
