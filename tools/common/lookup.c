/* SPDX-License-Identifier: MIT */
#include "lookup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"

static bool is_plain_file(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* The first file of this name in a directory of PATH that may be used so (access()). */
static bool lookup_find(const char *program, int use, char path[PATH_MAX])
{
	const char *search = getenv("PATH");
	if (search == NULL)
		search = "/bin:/usr/bin";
	while (*search != '\0') {
		size_t len = strcspn(search, ":");
		int wanted = snprintf(path, PATH_MAX, "%.*s%s%s", (int)len, search, len > 0 ? "/" : "", program);
		if (wanted < PATH_MAX && is_plain_file(path) && access(path, use) == 0)
			return true;
		search += len + (search[len] == ':');
	}
	return false;
}

bool lookup_program(const char *program, char path[PATH_MAX])
{
	if (strchr(program, '/') != NULL)
		return snprintf(path, PATH_MAX, "%s", program) < PATH_MAX && is_plain_file(path);
	return lookup_find(program, X_OK, path);
}

int lookup_exec(char **argv)
{
	char path[PATH_MAX];
	execvp(argv[0], argv);
	int error = errno;
	bool is_nowhere = error == EACCES && strchr(argv[0], '/') == NULL && !lookup_find(argv[0], F_OK, path);
	return is_nowhere ? ENOENT : error;
}

/* Without /proc: the path by which it was started, from the directory of then. */
static bool own_path(char path[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 1);
	if (len > 0) {
		path[len] = '\0';
		return true;
	}
	const char *started = (const char *)getauxval(AT_EXECFN);
	return started != NULL && realpath(started, path) != NULL;
}

/* The directory of this executable; false: unknown. */
static bool own_directory(char directory[PATH_MAX])
{
	if (!own_path(directory))
		return false;
	char *slash = strrchr(directory, '/');
	if (slash == NULL)
		return false;
	*slash = '\0';
	return true;
}

/* `path` is consumed; NULL if it is not there. */
static char *resolve(char *path)
{
	char *absolute = realpath(path, NULL);
	free(path);
	return absolute;
}

char *lookup_beside(const char *name)
{
	char directory[PATH_MAX];
	if (!own_directory(directory))
		return NULL;
	char *found = resolve(memory_format("%s/%s", directory, name));
	return found != NULL ? found : resolve(memory_format("%s/../lib/stmlog/%s", directory, name));
}
