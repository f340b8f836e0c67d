/* SPDX-License-Identifier: MIT
 * Scenes of programs that filter their own system calls, mostly down to those that they make themselves.
 * usage: scenes_filter SCENE, or --list */
#include "scenes.h"
#include "total.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define IF_CALL(number, action) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), RETURN(action)

#define LEN(rules) (unsigned short)(sizeof(rules) / sizeof(rules)[0])

/* What GHC's run-time system calls besides (tests/ghc/scenes.sh). */
#ifdef HASKELL
#define RTS_CALLS                                                                                         \
	IF_CALL(SYS_sched_getaffinity, SECCOMP_RET_ALLOW), IF_CALL(SYS_clock_gettime, SECCOMP_RET_ALLOW), \
		IF_CALL(SYS_sched_yield, SECCOMP_RET_ALLOW), IF_CALL(SYS_gettid, SECCOMP_RET_ALLOW),
#else
#define RTS_CALLS
#endif

/* Kills for each call that these scenes, the C library and libitm do not make without the profiler. */
static const struct sock_filter few[] = {
	LOAD(nr),
	RTS_CALLS IF_CALL(SYS_write, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_futex, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_exit_group, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_exit, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_brk, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_rt_sigprocmask, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_madvise, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_mmap, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_munmap, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_fstat, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_newfstatat, SECCOMP_RET_ALLOW),
	RETURN(SECCOMP_RET_KILL_PROCESS),
};

/* The same, and what a scene with children or signals makes besides. */
static const struct sock_filter more[] = {
	LOAD(nr),
	IF_CALL(SYS_clone, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_wait4, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_set_robust_list, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_kill, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_write, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_futex, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_exit_group, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_brk, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_mmap, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_munmap, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_fstat, SECCOMP_RET_ALLOW),
	IF_CALL(SYS_newfstatat, SECCOMP_RET_ALLOW),
	RETURN(SECCOMP_RET_KILL_PROCESS),
};

static void need(int error)
{
	if (error != 0)
		exit(77);
}

static void filter(const struct sock_filter *rules, unsigned short len)
{
	struct sock_fprog program = {len, (struct sock_filter *)rules};
	fflush(stdout);
	need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

static int tell(void)
{
	printf("%d commits\n", (int)total_read());
	return 0;
}

static int mmap_refused(void)
{
	static const struct sock_filter rules[] = {
		LOAD(nr),
		IF_CALL(SYS_mmap, SECCOMP_RET_ERRNO | ENOMEM),
		RETURN(SECCOMP_RET_ALLOW),
	};
	filter(rules, LEN(rules));
	scenes_transact(10);
	return tell();
}

static int few_calls(void)
{
	scenes_transact(10);
	filter(few, LEN(few));
	scenes_transact(1000);
	return tell();
}

/* As libseccomp does it. */
static int few_calls_by_syscall(void)
{
	struct sock_fprog program = {LEN(few), (struct sock_filter *)few};
	scenes_transact(10);
	fflush(stdout);
	need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	need((int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
	scenes_transact(1000);
	return tell();
}

static int few_calls_from_the_start(void)
{
	filter(few, LEN(few));
	scenes_transact(1000);
	return tell();
}

/* exec() and _exit() have hooks of the profiler's. */
static int few_calls_and_exit(void)
{
	scenes_transact(10);
	filter(few, LEN(few));
	scenes_transact(1000);
	tell();
	fflush(stdout);
	_exit(7);
}

static int few_calls_and_a_signal(void)
{
	pid_t self = getpid();
	scenes_transact(10);
	filter(more, LEN(more));
	scenes_transact(1000);
	kill(self, SIGTERM);
	return tell();
}

static int few_calls_and_a_child(void)
{
	scenes_transact(10);
	filter(more, LEN(more));
	pid_t child = fork();
	scenes_transact(1000);
	if (child == 0)
		exit(3);
	scenes_tell_child(child);
	return tell();
}

/* ---- threads ---- */

enum { THREADS = 4 };

static pthread_barrier_t line;

static void *transact_behind_line(void *unused)
{
	scenes_transact(10);
	pthread_barrier_wait(&line);
	filter(few, LEN(few));
	pthread_barrier_wait(&line);
	scenes_transact(200000);
	return unused;
}

/* Each thread has a filter of its own. They transact long enough to be taken off their processors. */
static int few_calls_of_threads(void)
{
	pthread_t threads[THREADS];
	pthread_barrier_init(&line, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		need(pthread_create(&threads[i], NULL, transact_behind_line, NULL));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return tell();
}

/* ---- the time-stamp counter ---- */

static void forbid_clock(void)
{
	need(prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0));
}

static int no_clock(void)
{
	scenes_transact(10);
	forbid_clock();
	scenes_transact(200000);
	return tell();
}

static int no_clock_from_the_start(void)
{
	need((int)syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0));
	scenes_transact(1000);
	return tell();
}

static int no_clock_and_a_child(void)
{
	scenes_transact(10);
	forbid_clock();
	fflush(stdout);
	pid_t child = fork();
	scenes_transact(1000);
	if (child == 0)
		exit(3);
	scenes_tell_child(child);
	return tell();
}

static pthread_barrier_t all_are_there;

static void *transact(void *unused)
{
	pthread_barrier_wait(&all_are_there);
	scenes_transact(10000);
	return unused;
}

/* Those that were begun before may read it. All have their first transaction at once, so that they wait for locks. */
static int no_clock_of_some_threads(void)
{
	enum { CROWD = 32 };
	pthread_t threads[CROWD];
	need(pthread_barrier_init(&all_are_there, NULL, CROWD));
	for (int i = 0; i < CROWD; i++) {
		if (i == CROWD / 2)
			forbid_clock();
		need(pthread_create(&threads[i], NULL, transact, NULL));
	}
	scenes_transact(10000);
	for (int i = 0; i < CROWD; i++)
		pthread_join(threads[i], NULL);
	return tell();
}

/* Nothing of what exit() does is allowed. */
static void end_strictly(void)
{
	static const char words[] = "transacted\n";
	if (write(STDOUT_FILENO, words, sizeof words - 1) > 0)
		syscall(SYS_exit, 5);
}

static int strict(void)
{
	scenes_transact(10);
	need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0));
	scenes_transact(200000);
	end_strictly();
	return 0;
}

static int strict_by_syscall(void)
{
	scenes_transact(10);
	need((int)syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL));
	scenes_transact(1000);
	end_strictly();
	return 0;
}

int main(int argc, char **argv)
{
	static const struct scene scenes[] = {
		{"mmap-refused", mmap_refused},
		{"few-calls", few_calls},
		{"few-calls-by-syscall", few_calls_by_syscall},
		{"few-calls-from-the-start", few_calls_from_the_start},
		{"few-calls-and-exit", few_calls_and_exit},
		{"few-calls-and-a-signal", few_calls_and_a_signal},
		{"few-calls-and-a-child", few_calls_and_a_child},
		{"few-calls-of-threads", few_calls_of_threads},
		{"no-clock", no_clock},
		{"no-clock-from-the-start", no_clock_from_the_start},
		{"no-clock-and-a-child", no_clock_and_a_child},
		{"no-clock-of-some-threads", no_clock_of_some_threads},
		{"no-clock-strict", strict},
		{"no-clock-strict-by-syscall", strict_by_syscall},
	};
	return scenes_main(argc, argv, scenes, sizeof scenes / sizeof scenes[0]);
}
