/* SPDX-License-Identifier: MIT
 * Expands patterns, and looks at the files that are there. */
#include "destination.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "decimal.h"
#include "out.h"
#include "session.h"
#include "standard_error.h"
#include "utf8.h"

static char began_in[PATH_MAX]; /* relative paths are relative to this directory, which the program may leave */

void destination_remember_directory(void)
{
	if (getcwd(began_in, sizeof began_in) == NULL)
		began_in[0] = '\0';
}

/* ---- patterns ---- */

static bool append(char *path, size_t *len, const char *text)
{
	size_t more = strlen(text);
	if (*len + more >= PATH_MAX)
		return false;
	memcpy(path + *len, text, more + 1);
	*len += more;
	return true;
}

static bool append_number(char *path, size_t *len, uint64_t number)
{
	char text[DECIMAL_SIZE];
	return append(path, len, decimal_text(text, number));
}

/* The program's name comes from argv[0], which may be anything: it must not lead to another directory, nor act on the
 * terminal that shows the path. */
static bool append_name(char path[PATH_MAX], size_t *len)
{
	char name[NAME_MAX + 1];
	size_t name_len = strnlen(program_invocation_short_name, NAME_MAX);
	memcpy(name, program_invocation_short_name, name_len);
	name[name_len] = '\0';
	utf8_hide(name);
	bool is_directory = strcmp(name, "") == 0 || strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
	return append(path, len, is_directory ? "_" : name);
}

/* %p: pid, %n: name of the program, %%: a percent sign. Two processes never get the same path from one
 * pattern: a forked child adds its pid if there is no %p, and a program after exec() adds its generation. */
static bool expand(const char *pattern, char path[PATH_MAX])
{
	size_t len = 0;
	bool fits = true, has_pid = false;
	path[0] = '\0';
	if (pattern[0] != '/' && began_in[0] != '\0')
		fits = append(path, &len, began_in) && append(path, &len, "/");
	for (const char *at = pattern; *at != '\0' && fits; at++) {
		char one[2] = {*at, '\0'};
		if (*at != '%' || at[1] == '\0') {
			fits = append(path, &len, one);
			continue;
		}
		at++;
		one[0] = *at;
		if (*at == 'p') {
			has_pid = true;
			fits = append_number(path, &len, (uint64_t)session.pid);
		} else {
			fits = *at == 'n' ? append_name(path, &len) : append(path, &len, one);
		}
	}
	if (session.is_forked && !has_pid)
		fits = fits && append(path, &len, ".") && append_number(path, &len, (uint64_t)session.pid);
	if (session.generation != 0)
		fits = fits && append(path, &len, ".") && append_number(path, &len, session.generation);
	return fits;
}

/* ---- paths that others use, too ---- */

#define OTHERS_MOST 1000 /* files beside a path */

/* Whether the file was written since the session was opened, but not by it: by another process with the same options,
 * or by another copy of the library in this process. */
static bool is_of_another(const struct destination *destination, const char *path)
{
	struct stat status;
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	if (status.st_dev == destination->device && status.st_ino == destination->inode)
		return false;
	uint64_t written_ns = clock_ns_of(status.st_mtim);
	return written_ns > session.began_unix_ns;
}

static bool is_directory_gone(const char *path)
{
	struct stat status;
	char directory[PATH_MAX];
	const char *slash = strrchr(path, '/');
	if (slash == NULL || slash == path)
		return false;
	memcpy(directory, path, (size_t)(slash - path));
	directory[slash - path] = '\0';
	return stat(directory, &status) != 0 && errno == ENOENT;
}

/* `stmlog record` removes its directory when its program has ended; another process of it may still run. */
static bool expand_now(const struct destination *destination, char path[PATH_MAX])
{
	bool fits = expand(destination->pattern, path);
	if (fits && destination->late != NULL && is_directory_gone(path))
		fits = expand(destination->late, path);
	return fits;
}

static void tell_other_path(const char *path)
{
	struct out out;
	out_begin(&out, standard_error());
	out_texts(&out, "stmlog: ", path,
		" is where the output is, because the file without the number was written by another session\n", NULL);
	out_end(&out);
}

int destination_choose(const struct destination *destination, char path[PATH_MAX])
{
	size_t len;
	if (!expand_now(destination, path))
		return -ENAMETOOLONG;
	len = strlen(path);
	for (uint64_t n = 2; is_of_another(destination, path); n++) {
		size_t end = len;
		if (n > OTHERS_MOST)
			return -EEXIST;
		if (!append(path, &end, ".") || !append_number(path, &end, n))
			return -ENAMETOOLONG;
	}
	if (path[len] != '\0' && destination->inode == 0)
		tell_other_path(path);
	return 0;
}

void destination_wrote(struct destination *destination, const char *path)
{
	struct stat status;
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return;
	destination->device = status.st_dev;
	destination->inode = status.st_ino;
}
