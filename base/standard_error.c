/* SPDX-License-Identifier: MIT
 * Remembers which file stderr was when the library was loaded. After the program has reopened descriptor 2, nothing is
 * written there unless it is a log. */
#include "standard_error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out.h"

static struct {
	bool is_noted;
	dev_t device;
	ino_t inode;
} noted;

void standard_error_note(void)
{
	struct stat status;
	int saved = errno;
	noted.is_noted = fstat(STDERR_FILENO, &status) == 0;
	if (noted.is_noted) {
		noted.device = status.st_dev;
		noted.inode = status.st_ino;
	}
	errno = saved;
}

/* Before the constructors in which agents open their sessions, which may print warnings. (gcc forgets the priority of a
 * function that was declared without it.) */
__attribute__((constructor(101))) static void at_load(void)
{
	standard_error_note();
}

static bool is_as_noted(void)
{
	struct stat status;
	return noted.is_noted && fstat(STDERR_FILENO, &status) == 0 && status.st_dev == noted.device &&
	       status.st_ino == noted.inode;
}

/* Whether it is open for appending only, as a log is and a database is not. */
static bool is_log(void)
{
	int flags = fcntl(STDERR_FILENO, F_GETFL);
	return flags >= 0 && (flags & O_ACCMODE) == O_WRONLY && (flags & O_APPEND) != 0;
}

int standard_error(void)
{
	int saved = errno;
	bool is_ours = is_as_noted() || is_log();
	errno = saved;
	return is_ours ? STDERR_FILENO : -1;
}

void standard_error_tell(const char *first, ...)
{
	struct out out;
	va_list rest;
	out_begin(&out, standard_error());
	out_text(&out, "stmlog: ");
	va_start(rest, first);
	for (const char *text = first; text != NULL; text = va_arg(rest, const char *))
		out_text(&out, text);
	va_end(rest);
	out_text(&out, "\n");
	out_end(&out);
}
