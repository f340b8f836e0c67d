/* SPDX-License-Identifier: MIT
 * exec, _exit, prctl and syscall, as a program calls them that was linked with stmlog-ghc.wrap: see real_functions.c.
 */
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "real.h"

char **(*ghc_leaving)(char *const *environment);
void (*ghc_filtering)(long number, long first, long second);

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

/* With as many arguments as any system call has. Those that the caller has not passed have any value, and are not used.
 */
extern int __real_prctl(int option, long a, long b, long c, long d);
extern int __wrap_prctl(int option, long a, long b, long c, long d);
int __wrap_prctl(int option, long a, long b, long c, long d)
{
	ghc_filter(SYS_prctl, option, a);
	return __real_prctl(option, a, b, c, d);
}

extern long __real_syscall(long number, long a, long b, long c, long d, long e, long f);
extern long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	ghc_filter(number, a, b);
	return __real_syscall(number, a, b, c, d, e, f);
}
