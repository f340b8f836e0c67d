/* SPDX-License-Identifier: MIT */
#include "memory_file.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Descriptors that the system does not give. */
enum { FIRST_FD = 1 << 24, FILES = 2 };

static const char *const paths[FILES] = {MEMORY_FILE_INPUT, MEMORY_FILE_OTHER};
static struct {
	const uint8_t *bytes;
	size_t len;
} files[FILES];

void memory_file_set_input(const uint8_t *bytes, size_t len)
{
	files[0].bytes = bytes;
	files[0].len = len;
}

void memory_file_set_other(const uint8_t *bytes, size_t len)
{
	files[1].bytes = bytes;
	files[1].len = len;
}

/* ---- what the linker calls instead (--wrap) ---- */

int __wrap_open(const char *path, int flags, ...);
int __wrap_fstat(int fd, struct stat *status);
ssize_t __wrap_pread(int fd, void *to, size_t len, off_t at);
int __wrap_close(int fd);
int __real_fstat(int fd, struct stat *status);
ssize_t __real_pread(int fd, void *to, size_t len, off_t at);
int __real_close(int fd);

static bool is_ours(int fd)
{
	return fd >= FIRST_FD && fd < FIRST_FD + FILES;
}

int __wrap_open(const char *path, int flags, ...)
{
	(void)flags;
	for (int i = 0; i < FILES; i++) {
		if (strcmp(path, paths[i]) == 0)
			return FIRST_FD + i;
	}
	errno = ENOENT;
	return -1;
}

int __wrap_fstat(int fd, struct stat *status)
{
	if (!is_ours(fd))
		return __real_fstat(fd, status);
	memset(status, 0, sizeof *status);
	status->st_mode = S_IFREG;
	status->st_size = (off_t)files[fd - FIRST_FD].len;
	return 0;
}

ssize_t __wrap_pread(int fd, void *to, size_t len, off_t at)
{
	if (!is_ours(fd))
		return __real_pread(fd, to, len, at);
	size_t size = files[fd - FIRST_FD].len;
	if (at < 0 || (size_t)at >= size)
		return 0;
	size_t got = len < size - (size_t)at ? len : size - (size_t)at;
	if (got > 0)
		memcpy(to, files[fd - FIRST_FD].bytes + at, got);
	return (ssize_t)got;
}

int __wrap_close(int fd)
{
	return is_ours(fd) ? 0 : __real_close(fd);
}
