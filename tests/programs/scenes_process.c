/* SPDX-License-Identifier: MIT
 * Scenes of processes: how they begin others, give up privileges, and die.
 * usage: scenes_process SCENE, or --list */
#include "scenes.h"
#include "total.h"

#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { CHILDREN = 20, NOBODY = 65534 };

/* ---- other processes ---- */

static volatile bool is_over;

static void *go_on(void *unused)
{
	(void)unused;
	while (!is_over)
		scenes_transact(1);
	return NULL;
}

/* Children of a thread, while others are within transactions. They do not transact: libitm's lock may be held for ever
 * in them. */
static void *fork_often(void *unused)
{
	int well = 0;
	(void)unused;
	for (int i = 0; i < CHILDREN; i++) {
		int status = 0;
		pid_t child = fork();
		if (child == 0)
			_exit(7);
		well += waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7;
	}
	printf("%d children\n", well);
	return NULL;
}

static int fork_in_thread(void)
{
	pthread_t others[2], forker;
	for (int i = 0; i < 2; i++)
		pthread_create(&others[i], NULL, go_on, NULL);
	pthread_create(&forker, NULL, fork_often, NULL);
	pthread_join(forker, NULL);
	is_over = true;
	for (int i = 0; i < 2; i++)
		pthread_join(others[i], NULL);
	return 0;
}

/* No handler of fork() runs. The children do not transact, and end by exit(). */
static int clones(void)
{
	enum { CLONES = 40 };
	int well = 0;
	scenes_transact(5);
	for (int i = 0; i < CLONES; i++) {
		int status = 0;
		fflush(stdout);
		pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (child == 0)
			exit(7);
		well += waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7;
	}
	printf("%d clones\n", well);
	scenes_transact(5);
	return 0;
}

/* Each generation transacts before and after. */
static int fork_of_fork(void)
{
	scenes_transact(5);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		scenes_transact(3);
		pid_t grandchild = fork();
		if (grandchild == 0) {
			scenes_transact(2);
			exit((int)total_read());
		}
		scenes_tell_child(grandchild);
		exit((int)total_read());
	}
	scenes_tell_child(child);
	return (int)total_read();
}

static int vforked(void)
{
	scenes_transact(5);
	pid_t child = vfork();
	if (child == 0)
		_exit(9);
	scenes_transact(5);
	scenes_tell_child(child);
	return 0;
}

static int vfork_exec(void)
{
	scenes_transact(5);
	pid_t child = vfork();
	if (child == 0) {
		execl("/bin/sh", "sh", "-c", "exit 12", (char *)NULL);
		_exit(1);
	}
	scenes_tell_child(child);
	scenes_transact(5);
	return 0;
}

static int spawned(void)
{
	char *words[] = {"sh", "-c", "kill -TERM $$", NULL};
	pid_t child = -1;
	scenes_transact(5);
	posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ);
	scenes_tell_child(child);
	scenes_transact(5);
	return 0;
}

static int fork_exec(void)
{
	scenes_transact(5);
	pid_t child = fork();
	if (child == 0) {
		scenes_transact(5);
		execl("/bin/sh", "sh", "-c", "exit 13", (char *)NULL);
		_exit(1);
	}
	scenes_tell_child(child);
	return 0;
}

/* exec() that fails returns, and the program goes on. */
static int exec_fails(void)
{
	scenes_transact(5);
	int result = execl("/no/such/program", "program", (char *)NULL);
	scenes_transact(5);
	printf("exec: %d\n", result);
	return 3;
}

/* ---- privileges ---- */

/* The user's recording is made in a directory that is root's. */
static int dropped(void)
{
	scenes_transact(5);
	bool is_done = setgroups(0, NULL) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY) == 0;
	scenes_transact(5);
	printf("dropped: %d\n", is_done);
	return 0;
}

static int chrooted(void)
{
	scenes_transact(5);
	bool is_done = chroot("/proc") == 0 && chdir("/") == 0;
	scenes_transact(5);
	printf("chroot: %d\n", is_done);
	return 0;
}

/* The kernel allows a namespace of users to a process with one thread only. */
static int unshared(void)
{
	scenes_transact(5);
	printf("unshare: %d\n", unshare(CLONE_NEWUSER));
	return 0;
}

/* The child has the memory of its parent, and so the profiler's, too. */
static int vfork_unshares(void)
{
	scenes_transact(5);
	pid_t child = vfork();
	if (child == 0) {
		(void)unshare(CLONE_NEWUSER);
		_exit(4);
	}
	scenes_transact(5);
	scenes_tell_child(child);
	return 0;
}

static int without_descriptors(void)
{
	scenes_transact(5);
	printf("closing\n");
	fflush(stdout);
	for (int file = 0; file < 64; file++)
		close(file);
	scenes_transact(5);
	return 5;
}

static int without_directory(void)
{
	char directory[] = "/tmp/scene.XXXXXX";
	bool is_done = mkdtemp(directory) != NULL && chdir(directory) == 0 && rmdir(directory) == 0;
	scenes_transact(5);
	printf("in a directory that is gone: %d\n", is_done);
	return 0;
}

/* ---- signals ---- */

static int dispositions(void)
{
	scenes_transact(5);
	for (int number = 1; number < 32; number++) {
		struct sigaction now;
		if (sigaction(number, NULL, &now) == 0)
			printf("%d: %s, flags %x\n", number,
				now.sa_handler == SIG_DFL   ? "default"
				: now.sa_handler == SIG_IGN ? "ignored"
							    : "handled",
				(unsigned)now.sa_flags);
	}
	return 0;
}

static int masks(void)
{
	sigset_t now, pending;
	scenes_transact(5);
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	sigpending(&pending);
	for (int number = 1; number < 32; number++)
		if (sigismember(&now, number) || sigismember(&pending, number))
			printf("%d is blocked or pending\n", number);
	printf("done\n");
	return 0;
}

static volatile int *volatile nowhere = (volatile int *)8;

static int aborted(void)
{
	scenes_transact(5);
	abort();
}

static int crashed(void)
{
	scenes_transact(5);
	*nowhere = 1;
	return 0;
}

static int raised(int number)
{
	scenes_transact(5);
	raise(number);
	printf("still there\n");
	return 4;
}

static int terminated(void)
{
	return raised(SIGTERM);
}

static int ignores(void)
{
	signal(SIGTERM, SIG_IGN);
	return raised(SIGTERM);
}

static void end_here(int number)
{
	_exit(40 + number);
}

static int handles(void)
{
	signal(SIGTERM, end_here);
	return raised(SIGTERM);
}

static sigjmp_buf before_crash;

static void jump_back(int number)
{
	(void)number;
	siglongjmp(before_crash, 1);
}

static int jumps_back(void)
{
	volatile int jumps = 0;
	signal(SIGSEGV, jump_back);
	scenes_transact(5);
	if (sigsetjmp(before_crash, 1) == 0 || ++jumps < 10)
		*nowhere = 1;
	scenes_transact(5);
	printf("%d jumps, %d commits\n", jumps, (int)total_read());
	return 0;
}

static int no_core(void)
{
	signal(SIGSEGV, end_here);
	scenes_transact(5);
	*nowhere = 1;
	return 0;
}

int main(int argc, char **argv)
{
	static const struct scene scenes[] = {
		{"fork-in-thread", fork_in_thread},
		{"clones", clones},
		{"fork-of-fork", fork_of_fork},
		{"vfork", vforked},
		{"vfork-exec", vfork_exec},
		{"spawn", spawned},
		{"fork-exec", fork_exec},
		{"exec-fails", exec_fails},
		{"dropped-privileges", dropped},
		{"chroot", chrooted},
		{"unshare", unshared},
		{"vfork-unshares", vfork_unshares},
		{"no-descriptors", without_descriptors},
		{"no-directory", without_directory},
		{"dispositions", dispositions},
		{"masks", masks},
		{"abort", aborted},
		{"crash", crashed},
		{"terminated", terminated},
		{"ignores", ignores},
		{"handles", handles},
		{"jumps-back", jumps_back},
		{"crash-handled", no_core},
	};
	return scenes_main(argc, argv, scenes, sizeof scenes / sizeof scenes[0]);
}
