/* SPDX-License-Identifier: MIT
 * One thread commits 100 transactions. Then the process gets to where it could not write its recording:
 * usage: outlives descriptors       it may open no more files
 *        outlives privileges        it is nobody's (only root can run this)
 *        outlives elsewhere         its root directory is another one (likewise)
 *        outlives daemon PATTERN    it ends, but a child goes on, which has committed 100 transactions and commits 100
 *                                   more when no file has a name of this pattern any more
 *        outlives leaving           it ends without the exit handlers
 *        outlives recorder          it kills its parent, and waits until another process is its parent
 */
#include <glob.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TRANSACTIONS = 100, TENTHS_MAX = 300 };

static int counter;

static void transact(void)
{
	for (int i = 0; i < TRANSACTIONS; i++) {
		__transaction_atomic
		{
			counter++;
		}
	}
}

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

static int live_as_daemon(const char *pattern)
{
	glob_t found;
	int ends[2];
	char byte = 0;
	if (pipe(ends) != 0)
		return 1;
	if (fork() != 0)
		return read(ends[0], &byte, 1) == 1 ? 0 : 1;
	transact();
	if (write(ends[1], &byte, 1) != 1)
		return 1;
	for (int tenths = 0; tenths < TENTHS_MAX && glob(pattern, 0, NULL, &found) == 0; tenths++)
		usleep(100000);
	transact();
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
	transact();
	if (strcmp(way, "descriptors") == 0)
		return use_up_descriptors();
	if (strcmp(way, "privileges") == 0)
		return drop_privileges();
	if (strcmp(way, "elsewhere") == 0)
		return go_elsewhere();
	if (strcmp(way, "daemon") == 0 && argc > 2)
		return live_as_daemon(argv[2]);
	if (strcmp(way, "leaving") == 0)
		_exit(0);
	return strcmp(way, "recorder") == 0 ? kill_recorder() : 1;
}
