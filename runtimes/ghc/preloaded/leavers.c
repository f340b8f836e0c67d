/* SPDX-License-Identifier: MIT
 * exec, _exit, prctl and syscall, in place of the C library's functions of these names. */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "real.h"

char **(*ghc_leaving)(char *const *environment);
void (*ghc_filtering)(long number, long first, long second);

#define EXPORTED __attribute__((visibility("default")))

/* The C library's function behind each of ours. */
static struct {
#define LEAVER(name, parameters, arguments, environment) int(*name) parameters;
#include "leavers.def"
#undef LEAVER
	void (*exit_now)(int status), (*exit_now_c)(int status);
	int (*prctl)(int option, long a, long b, long c, long d);
	long (*syscall)(long number, long a, long b, long c, long d, long e, long f);
} real;

/* At load, so that the loader is not needed in a forked child. */
__attribute__((constructor(101))) static void find_real(void)
{
	int saved = errno;
#define LEAVER(name, parameters, arguments, environment) *(void **)(void *)&real.name = dlsym(RTLD_NEXT, #name);
#include "leavers.def"
#undef LEAVER
	*(void **)(void *)&real.exit_now = dlsym(RTLD_NEXT, "_exit");
	*(void **)(void *)&real.exit_now_c = dlsym(RTLD_NEXT, "_Exit");
	*(void **)(void *)&real.prctl = dlsym(RTLD_NEXT, "prctl");
	*(void **)(void *)&real.syscall = dlsym(RTLD_NEXT, "syscall");
	errno = saved;
}

/* A constructor of another library may call our functions before find_real() has run. */
static void be_ready(void)
{
	if (real.exit_now == NULL)
		find_real();
}

#define LEAVER(name, parameters, arguments, environment) \
	EXPORTED int name parameters                     \
	{                                                \
		be_ready();                              \
		environment = ghc_leave(environment);    \
		return real.name arguments;              \
	}
#include "leavers.def"

#define ENDER(name, now)                         \
	EXPORTED _Noreturn void name(int status) \
	{                                        \
		be_ready();                      \
		ghc_leave(NULL);                 \
		real.now(status);                \
		__builtin_unreachable();         \
	}
ENDER(_exit, exit_now)
ENDER(_Exit, exit_now_c)

/* With as many arguments as any system call has. Those that the caller has not passed have any value, and are not used.
 * Headers declare both functions with a variable number of arguments. */
EXPORTED int filter_by_prctl(int option, long a, long b, long c, long d) __asm__("prctl");
int filter_by_prctl(int option, long a, long b, long c, long d)
{
	be_ready();
	ghc_filter(SYS_prctl, option, a);
	return real.prctl(option, a, b, c, d);
}

EXPORTED long filter_by_syscall(long number, long a, long b, long c, long d, long e, long f) __asm__("syscall");
long filter_by_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	be_ready();
	ghc_filter(number, a, b);
	return real.syscall(number, a, b, c, d, e, f);
}
