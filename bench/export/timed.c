/* SPDX-License-Identifier: MIT
 * Runs a command, and prints on stderr its elapsed time and its processor time, both in nanoseconds, and the most
 * memory that it had at a time, in KiB. */
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t ns_of(struct timeval time)
{
	return ((int64_t)time.tv_sec * 1000000 + time.tv_usec) * 1000;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status = -1;
	if (argc < 2)
		return 2;
	int64_t began_ns = now_ns();
	pid_t child = fork();
	if (child == 0) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child)
		return 2;
	int64_t took_ns = now_ns() - began_ns;
	fprintf(stderr, "%lld %lld %ld\n", (long long)took_ns,
		(long long)(ns_of(usage.ru_utime) + ns_of(usage.ru_stime)), usage.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
