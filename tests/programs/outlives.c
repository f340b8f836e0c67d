/* SPDX-License-Identifier: MIT
 * One thread commits 100 transactions. Then the process gets to where it could not write its recording, or before
 * them if "early" follows:
 * usage: outlives descriptors       it may open no more files
 *        outlives sizes             its files may have no bytes
 *        outlives privileges        it is nobody's (only root can run this)
 *        outlives elsewhere         its root directory is another one (likewise)
 *        outlives mounts            another file system is mounted over /tmp (likewise)
 *        outlives all               all of these (likewise), and its child commits the transactions
 *        outlives daemon PATTERN    it ends, but a child goes on, which has committed 100 transactions and commits 100
 *                                   more when no file has a name of this pattern any more
 *        outlives leaving           it ends without the exit handlers
 *        outlives recorder          it kills its parent, and waits until another process is its parent
 */
#include <glob.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scenes.h"

enum { TRANSACTIONS = 100, TENTHS_MAX = 300 };

static int use_up_descriptors(void)
{
	static const struct rlimit few = {3, 3};
	return setrlimit(RLIMIT_NOFILE, &few);
}

static int drop_privileges(void)
{
	return setgroups(0, NULL) == 0 && setgid(65534) == 0 ? setuid(65534) : 77;
}

static int go_elsewhere(void)
{
	char empty[] = "/tmp/stmlog-outlives-XXXXXX";
	if (mkdtemp(empty) == NULL || chroot(empty) != 0 || chdir("/") != 0)
		return 77;
	return 0;
}

static int use_up_sizes(void)
{
	static const struct rlimit none;
	return setrlimit(RLIMIT_FSIZE, &none);
}

static int mount_over(void)
{
	bool is_mounted = unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
			  mount("none", "/tmp", "tmpfs", 0, NULL) == 0;
	return is_mounted ? 0 : 77;
}

/* The parent returns from main() with the status of the child. */
static int do_all(void)
{
	int status = mount_over();
	if (status == 0)
		status = go_elsewhere();
	if (status == 0)
		status = use_up_descriptors() | use_up_sizes() | drop_privileges();
	if (status != 0)
		return status;
	if (fork() == 0)
		return 0;
	wait(&status);
	exit(WEXITSTATUS(status));
}

static const struct {
	const char *name;
	int (*go)(void);
} ways[] = {{"descriptors", use_up_descriptors}, {"sizes", use_up_sizes}, {"privileges", drop_privileges},
	{"elsewhere", go_elsewhere}, {"mounts", mount_over}, {"all", do_all}};

/* 1: there is no such way. */
static int go(const char *name)
{
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (strcmp(name, ways[i].name) == 0)
			return ways[i].go();
	return 1;
}

static int live_as_daemon(const char *pattern)
{
	glob_t found;
	int ends[2];
	char byte = 0;
	if (pipe(ends) != 0)
		return 1;
	if (fork() != 0)
		return read(ends[0], &byte, 1) == 1 ? 0 : 1;
	scenes_transact(TRANSACTIONS);
	if (write(ends[1], &byte, 1) != 1)
		return 1;
	for (int tenths = 0; tenths < TENTHS_MAX && glob(pattern, 0, NULL, &found) == 0; tenths++)
		usleep(100000);
	scenes_transact(TRANSACTIONS);
	return 0;
}

static int kill_recorder(void)
{
	pid_t recorder = getppid();
	kill(recorder, SIGKILL);
	for (int tenths = 0; tenths < TENTHS_MAX && getppid() == recorder; tenths++)
		usleep(100000);
	return 0;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	if (argc > 2 && strcmp(argv[2], "early") == 0) {
		int status = go(way);
		scenes_transact(TRANSACTIONS);
		return status;
	}
	scenes_transact(TRANSACTIONS);
	if (strcmp(way, "daemon") == 0 && argc > 2)
		return live_as_daemon(argv[2]);
	if (strcmp(way, "leaving") == 0)
		_exit(0);
	return strcmp(way, "recorder") == 0 ? kill_recorder() : go(way);
}
