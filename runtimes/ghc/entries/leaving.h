/* SPDX-License-Identifier: MIT
 *
 * The ways to leave the process image that run no exit handlers: exec, _exit, and a signal. Haskell's executeFile calls
 * exec; exitImmediately calls exit(). After UserInterrupt (SIGINT) the RTS gives the signal its default action and
 * sends it to the process. linked/ and preloaded/ have the hooks: those of exec are made from leavers.def, and that of
 * sigaction() sets the library's handler in place of the default action (stmlog_sigaction()).
 */
#ifndef GHC_LEAVING_H
#define GHC_LEAVING_H

#include <stddef.h>
#include <stdint.h>

#include <stmlog/stmlog.h>

/* What is done before with the environment of the next image; returns the one to use. NULL until the module is open. */
extern char **(*ghc_leaving)(char *const *environment);

/* What the hook of sigaction() does; `real` is the function behind the hook. NULL until the module is open. */
extern int (*ghc_sigaction)(
	stmlog_sigaction_function real, int number, const struct sigaction *action, struct sigaction *old);

static inline char **ghc_leave(char *const *environment)
{
	return ghc_leaving != NULL ? ghc_leaving(environment) : (char **)(uintptr_t)environment;
}

static inline int ghc_hooked_sigaction(
	stmlog_sigaction_function real, int number, const struct sigaction *action, struct sigaction *old)
{
	return ghc_sigaction != NULL ? ghc_sigaction(real, number, action, old) : real(number, action, old);
}

/* The sigaction() behind the hook. Each way into a program (linked/, preloaded/) defines it. */
stmlog_sigaction_function ghc_real_sigaction(void);

#endif
