/* SPDX-License-Identifier: MIT */
#include "standard_input.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 4096 }; /* on the stack, which may be a small one */

/* Returns false with errno. */
static bool copy(int from, FILE *to)
{
	char bytes[CHUNK];
	for (;;) {
		ssize_t got = read(from, bytes, sizeof bytes);
		if (got == 0)
			return fflush(to) == 0;
		if (got < 0 && errno != EINTR)
			return false;
		if (got > 0 && fwrite(bytes, 1, (size_t)got, to) != (size_t)got)
			return false;
	}
}

/* Returns a descriptor of a file without a name that holds all of stdin; -1 with errno. */
static int kept(void)
{
	FILE *file = tmpfile();
	if (file == NULL)
		return -1;
	int fd = copy(STDIN_FILENO, file) ? dup(fileno(file)) : -1;
	int saved = errno;
	fclose(file);
	errno = saved;
	return fd;
}

int standard_input_open(const char **fault)
{
	struct stat status;
	*fault = NULL;
	if (fstat(STDIN_FILENO, &status) != 0)
		return -1;
	if (isatty(STDIN_FILENO)) {
		*fault = "is the terminal; let stdin come from a file or a pipe";
		return -1;
	}
	/* A directory is refused by its reader. */
	return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) ? dup(STDIN_FILENO) : kept();
}
