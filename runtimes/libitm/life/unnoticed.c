/* SPDX-License-Identifier: MIT
 * Hooks of functions by which a program would notice the library's signal handlers and its thread. */
#include "unnoticed.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <stmlog/runtime.h>

#include "leave.h"
#include "real_functions.h"

/* All are looked up before the program has a second thread: by the agent's constructor, or by one that is earlier. */
static struct {
	stmlog_sigaction_function sigaction;
	sighandler_t (*signal)(int, sighandler_t);
	int (*unshare)(int);
	int (*setns)(int, int);
} real;

static void look_up(const char *name, void *function, size_t size)
{
	void *found = itm_real(name);
	memcpy(function, &found, size);
}

stmlog_sigaction_function itm_unnoticed_prepare(void)
{
	if (real.sigaction == NULL) {
		look_up("signal", &real.signal, sizeof real.signal);
		look_up("unshare", &real.unshare, sizeof real.unshare);
		look_up("setns", &real.setns, sizeof real.setns);
		look_up("sigaction", &real.sigaction, sizeof real.sigaction);
	}
	return real.sigaction;
}

/* ---- signal handlers ---- */

STMLOG_API int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	return stmlog_sigaction(itm_unnoticed_prepare(), number, action, old);
}

/* The flags of a handler that signal() sets are known to the C library only, so its function has to set it. */
STMLOG_API sighandler_t signal(int number, sighandler_t handler)
{
	struct sigaction was, reset = {.sa_handler = SIG_DFL};
	if (sigaction(number, handler == SIG_DFL ? &reset : NULL, &was) != 0)
		return SIG_ERR;
	if (handler != SIG_DFL && real.signal(number, handler) == SIG_ERR)
		return SIG_ERR;
	return was.sa_handler;
}

/* ---- the thread ---- */

/* The watcher is the parent's where the caller is a vfork child. */
static bool has_paused_watcher(void)
{
	itm_unnoticed_prepare();
	return !itm_is_vfork_child() && stmlog_pause_watching();
}

STMLOG_API int unshare(int flags)
{
	bool has_paused = has_paused_watcher();
	int result = real.unshare(flags), saved = errno;
	if (has_paused)
		stmlog_resume_watching();
	errno = saved;
	return result;
}

STMLOG_API int setns(int file, int type)
{
	bool has_paused = has_paused_watcher();
	int result = real.setns(file, type), saved = errno;
	if (has_paused)
		stmlog_resume_watching();
	errno = saved;
	return result;
}
