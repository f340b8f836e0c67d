/* SPDX-License-Identifier: MIT
 * exec and _exit, in place of the C library's functions of these names. */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "leaving.h"

char **(*ghc_leaving)(char *const *environment);

#define EXPORTED __attribute__((visibility("default")))

/* The C library's function behind each of ours. */
static struct {
#define LEAVER(name, parameters, arguments, environment) int(*name) parameters;
#include "leavers.def"
#undef LEAVER
	void (*exit_now)(int status), (*exit_now_c)(int status);
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

static _Noreturn void end(void (*now)(int status), int status)
{
	ghc_leave(NULL);
	now(status);
	__builtin_unreachable();
}

EXPORTED _Noreturn void _exit(int status)
{
	be_ready();
	end(real.exit_now, status);
}

EXPORTED _Noreturn void _Exit(int status)
{
	be_ready();
	end(real.exit_now_c, status);
}
