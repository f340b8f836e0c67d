/* SPDX-License-Identifier: MIT
 * Expands patterns, and avoids files that other processes or sessions have written. */
#include "life.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "out.h"
#include "session.h"
#include "utf8_read.h"

static char began_in[PATH_MAX]; /* where relative paths begin, even after the program has changed its directory */

void destination_remember_directory(void)
{
	if (getcwd(began_in, sizeof began_in) == NULL)
		began_in[0] = '\0';
}

/* ---- patterns ---- */

static bool path_append(char *path, size_t *len, const char *text)
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
	return path_append(path, len, decimal_text(text, number));
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
	return path_append(path, len, is_directory ? "_" : name);
}

/* %p: pid, %s: serial number, %n: name of the program, %%: a percent sign. Two processes never get the same path from
 * one pattern: a forked child adds its pid if there is no %p, and a program after exec() adds its generation. */
static bool expand(const char *pattern, char path[PATH_MAX])
{
	size_t len = 0;
	bool fits = true, has_pid = false;
	path[0] = '\0';
	if (pattern[0] != '/' && began_in[0] != '\0')
		fits = path_append(path, &len, began_in) && path_append(path, &len, "/");
	for (const char *at = pattern; *at != '\0' && fits; at++) {
		bool is_special = *at == '%' && at[1] != '\0';
		at += is_special;
		has_pid |= is_special && *at == 'p';
		if (is_special && *at == 's')
			fits = append_number(path, &len, session.serial);
		else if (is_special && *at == 'p')
			fits = append_number(path, &len, (uint64_t)session.pid);
		else if (is_special && *at == 'n')
			fits = append_name(path, &len);
		else
			fits = path_append(path, &len, (char[]){*at, '\0'});
	}
	if (session.is_forked && !has_pid)
		fits = fits && path_append(path, &len, ".") && append_number(path, &len, (uint64_t)session.pid);
	if (session.generation != 0)
		fits = fits && path_append(path, &len, ".") && append_number(path, &len, session.generation);
	return fits;
}

/* ---- paths that others use, too ---- */

#define OTHERS_MAX 1000 /* files beside a path */

/* Whether the file was written since the session was opened, but not by it: by another process with the same options,
 * or by another copy of the library in this process. At a late path any file is another's. */
static bool is_of_another(const struct destination *destination, const char *path)
{
	struct stat status;
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	if (status.st_dev == destination->device && status.st_ino == destination->inode)
		return false;
	uint64_t written_ns = clock_ns_of(status.st_mtim);
	return destination->is_late || written_ns > session.began_unix_ns;
}

/* Changes the path to the same file by way of the open directory's descriptor, so that nothing that is put in the place
 * of the directory is touched. Without /proc the path stays. */
static void go_through(int directory, char path[PATH_MAX])
{
	char through[PATH_MAX] = "/proc/thread-self/fd/";
	size_t len = strlen(through);
	if (access(through, X_OK) == 0 && append_number(through, &len, (uint64_t)directory) &&
		path_append(through, &len, strrchr(path, '/')))
		memcpy(path, through, len + 1);
}

/* Expands the pattern or, if its directory is gone, the late one: `stmlog record` removes its directory when its
 * program has ended, while another process of the program may still run. Before, a process that does not find the
 * directory has another root or another /tmp, and what it wrote there would be lost. Returns 0 or a negative errno. */
static int expand_now(struct destination *destination, char path[PATH_MAX])
{
	destination->directory = -1;
	destination->is_late = false;
	if (!expand(destination->pattern, path))
		return -ENAMETOOLONG;
	if (destination->late == NULL)
		return 0;
	int directory = run_directory_open(path);
	destination->is_late = directory == -ENOENT && board_is_over();
	if (destination->is_late)
		return expand(destination->late, path) ? 0 : -ENAMETOOLONG;
	if (directory >= 0)
		go_through(directory, path);
	destination->directory = directory;
	return directory < 0 && directory != -EINVAL ? directory : 0;
}

const char *destination_name(const struct destination *destination, char path[PATH_MAX])
{
	return expand(destination->pattern, path) ? path : destination->pattern;
}

void destination_leave(struct destination *destination)
{
	if (destination->directory >= 0)
		close(destination->directory);
	destination->directory = -1;
}

int destination_choose(struct destination *destination, char path[PATH_MAX])
{
	size_t len;
	int error = expand_now(destination, path);
	if (error != 0)
		return error;
	len = strlen(path);
	for (uint64_t n = 2; is_of_another(destination, path); n++) {
		size_t end = len;
		if (n > OTHERS_MAX)
			return -EEXIST;
		if (!path_append(path, &end, ".") || !append_number(path, &end, n))
			return -ENAMETOOLONG;
	}
	if (path[len] != '\0' && destination->inode == 0)
		standard_error_tell(path,
			" is where the output is, because the file without the number was written by another session",
			NULL);
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
