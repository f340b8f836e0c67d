/* SPDX-License-Identifier: MIT
 * exec and _exit, as a program calls them that was linked with stmlog-ghc.wrap: see real_functions.c. */
#include <stddef.h>
#include <unistd.h>

#include "leaving.h"

char **(*ghc_leaving)(char *const *environment);

#define LEAVER(name, parameters, arguments, environment) \
	extern int __real_##name parameters;             \
	extern int __wrap_##name parameters;             \
	int __wrap_##name parameters                     \
	{                                                \
		environment = ghc_leave(environment);    \
		return __real_##name arguments;          \
	}
#include "leavers.def"

#define ENDER(name)                                      \
	extern _Noreturn void __real_##name(int status); \
	extern _Noreturn void __wrap_##name(int status); \
	_Noreturn void __wrap_##name(int status)         \
	{                                                \
		ghc_leave(NULL);                         \
		__real_##name(status);                   \
	}
ENDER(_exit)
ENDER(_Exit)
