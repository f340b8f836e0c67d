/* SPDX-License-Identifier: MIT
 * Limits the life of the process. The caller of this program may have blocked or ignored SIGALRM, and the process would
 * inherit that. */
#include "end_soon.h"

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

void end_soon(unsigned seconds)
{
	sigset_t alarm_only;
	signal(SIGALRM, SIG_DFL);
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
	alarm(seconds);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
