/* SPDX-License-Identifier: MIT
 *
 * Functions of the C library that the module must notice. First the ways to leave the process image that run no exit
 * handlers, and no signal: exec and _exit. Haskell's executeFile calls exec; exitImmediately calls exit(). Then prctl()
 * and syscall(), by which filters of system calls are set. linked/ and preloaded/ have the hooks: those of exec are
 * made from leavers.def.
 */
#ifndef GHC_LEAVING_H
#define GHC_LEAVING_H

#include <stddef.h>
#include <stdint.h>

/* To be called before the process image is left, with the environment of the next image. Returns the environment to use
 * instead. NULL until the module is open. Each way into a program (linked/, preloaded/) defines it. */
extern char **(*ghc_leaving)(char *const *environment);

static inline char **ghc_leave(char *const *environment)
{
	return ghc_leaving != NULL ? ghc_leaving(environment) : (char **)(uintptr_t)environment;
}

/* To be called before prctl() and syscall(), with the arguments of syscall(). NULL until the module is open. Each way
 * into a program defines it. */
extern void (*ghc_filtering)(long number, long first, long second);

static inline void ghc_filter(long number, long first, long second)
{
	if (ghc_filtering != NULL)
		ghc_filtering(number, first, second);
}

#endif
