/* SPDX-License-Identifier: MIT
 * Runs a program for its output. It may hang, crash or print without end: time and output are limited. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libitm.h"
#include "memory.h"

enum { OUTPUT_MAX = 65536, MAX_S = 5 };

/* If standard files are closed, the pipe has their numbers: so it gets another one first. */
static void set_files(int output)
{
	int nothing = open("/dev/null", O_RDWR), apart = fcntl(output, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (nothing < 0 || apart < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDERR_FILENO) < 0 ||
		dup2(apart, STDOUT_FILENO) < 0)
		_exit(127);
}

/* The alarm and its default action stay in force after exec. */
static void become(char *const *argv, int output, bool is_alone)
{
	sigset_t alarm_only;
	set_files(output);
	if (is_alone) {
		unsetenv("LD_PRELOAD");
		unsetenv("LD_AUDIT");
	}
	signal(SIGALRM, SIG_DFL);
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
	alarm(MAX_S);
	execv(argv[0], argv);
	_exit(127);
}

/* All output; NULL: it is more than OUTPUT_MAX. */
static char *read_all(int input)
{
	char *text = memory_zeroed(OUTPUT_MAX + 1, 1);
	size_t len = 0;
	ssize_t got;
	while ((got = read(input, text + len, OUTPUT_MAX - len)) != 0) {
		if (got < 0 && errno != EINTR)
			break;
		len += got > 0 ? (size_t)got : 0;
	}
	if (got == 0 && len < OUTPUT_MAX)
		return text;
	free(text);
	return NULL;
}

static bool has_succeeded(pid_t child)
{
	int status;
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return false;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

char *libitm_output_of(char *const *argv, bool is_alone)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return NULL;
	pid_t child = fork();
	if (child == 0)
		become(argv, ends[1], is_alone);
	close(ends[1]);
	char *text = child > 0 ? read_all(ends[0]) : NULL;
	close(ends[0]);
	if ((child > 0 && has_succeeded(child)) || text == NULL)
		return text;
	free(text);
	return NULL;
}
