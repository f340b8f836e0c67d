/* SPDX-License-Identifier: MIT
 * Limits the life of a process that runs an unknown library. */
#ifndef ITM_CALIBRATE_END_SOON_H
#define ITM_CALIBRATE_END_SOON_H

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* SIGALRM will end the process after `seconds`, and no crash of it leaves a core file. To be called while the process
 * has one thread. The caller of the program may have blocked or ignored SIGALRM, and the process would inherit that. */
static inline void end_soon(unsigned seconds)
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

#endif
