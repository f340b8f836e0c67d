/* SPDX-License-Identifier: MIT
 * A file without other functions: the fuzz targets replace open() where it is called, which the linker cannot do in the
 * file that defines it (tests/fuzz/rules.mk). */
#include "module.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void plain_open_only(void)
{
	unsetenv("DEBUGINFOD_URLS");
}

/* Opens by the system call, since open() of the C library is the function of this file. */
static int open_any(const char *path, int flags, mode_t mode)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static int open_plain(const char *path, int flags)
{
	struct stat status;
	int fd = open_any(path, flags | O_NONBLOCK | O_NOCTTY, 0);
	if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
		close(fd);
		errno = EACCES;
		return -1;
	}
	return fd;
}

static int open_checked(const char *path, int flags, mode_t mode)
{
	bool is_callers_care = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_NONBLOCK | O_DIRECTORY | O_PATH)) != 0;
	return is_callers_care ? open_any(path, flags, mode) : open_plain(path, flags);
}

#define EXPORTED __attribute__((visibility("default")))

/* Whether there is a mode. O_TMPFILE is several flags. */
static bool has_mode(int flags)
{
	return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

#define OPEN(name)                                                             \
	EXPORTED int name(const char *path, int flags, ...);                   \
	EXPORTED int name(const char *path, int flags, ...)                    \
	{                                                                      \
		va_list arguments;                                             \
		va_start(arguments, flags);                                    \
		mode_t mode = has_mode(flags) ? va_arg(arguments, mode_t) : 0; \
		va_end(arguments);                                             \
		return open_checked(path, flags, mode);                        \
	}
OPEN(open)
OPEN(open64)
/* A caller that is compiled with _FORTIFY_SOURCE calls these where it passes no mode. */
OPEN(__open_2)
OPEN(__open64_2)

/* ---- servers ---- */

/* libdw loads libdebuginfod, and with it some thirty libraries for servers of all kinds, for each module that has no
 * debug information, also where no server is named. */
EXPORTED void *dlopen(const char *file, int flags);
EXPORTED void *dlopen(const char *file, int flags)
{
	static const char refused[] = "libdebuginfod";
	void *(*real)(const char *, int);
	if (file != NULL && strncmp(file, refused, strlen(refused)) == 0)
		return NULL;
	*(void **)(void *)&real = dlsym(RTLD_NEXT, "dlopen");
	return real(file, flags);
}
