/* SPDX-License-Identifier: MIT
 * Opens a directory, and compares it with `in` of STMLOG_RUN. */
#include "run_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session.h"

static bool is_of_run(int directory)
{
	struct stat status;
	char *behind;
	const char *wanted = options_get(&session.run, "in");
	if (wanted == NULL)
		return true;
	unsigned long long device = strtoull(wanted, &behind, 10);
	unsigned long long number = *behind == '.' ? strtoull(behind + 1, NULL, 10) : 0;
	return fstat(directory, &status) == 0 && status.st_dev == device && status.st_ino == number;
}

int run_directory_open(const char *path)
{
	char parent[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t len = slash != NULL ? (size_t)(slash - path) : 0;
	if (len == 0 || len >= sizeof parent)
		return -EINVAL;
	memcpy(parent, path, len);
	parent[len] = '\0';
	int directory = open(parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory < 0)
		return errno == ENOTDIR || errno == ELOOP ? -ENOENT : -errno;
	if (is_of_run(directory))
		return directory;
	close(directory);
	return -ENOENT;
}
