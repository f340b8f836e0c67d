/* SPDX-License-Identifier: MIT
 * Output files that appear at once: the temporary file, and the rename. */
#include "artifact.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char suffix[] = ".XXXXXX";

static int open_beside(struct artifact *artifact, const char *path)
{
	size_t len = strlen(path);
	if (len + sizeof suffix > sizeof artifact->beside)
		return -ENAMETOOLONG;
	memcpy(artifact->beside, path, len);
	memcpy(artifact->beside + len, suffix, sizeof suffix);
	artifact->fd = mkostemp(artifact->beside, O_CLOEXEC);
	return artifact->fd < 0 ? -errno : 0;
}

static int open_in_place(struct artifact *artifact, const char *path)
{
	artifact->beside[0] = '\0';
	artifact->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return artifact->fd < 0 ? -errno : 0;
}

int artifact_begin(struct artifact *artifact, const char *path)
{
	struct stat status;
	artifact->path = path;
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
		return open_in_place(artifact, path);
	return open_beside(artifact, path);
}

/* mkostemp() makes the file private, but others may read a recording as any other file. The usual umask gives 0644.
 * The process's own umask can only be read by setting it, which another thread could notice. */
static int put_in_place(const struct artifact *artifact)
{
	if (chmod(artifact->beside, 0644) != 0 || rename(artifact->beside, artifact->path) != 0)
		return -errno;
	return 0;
}

/* The kernel takes the time of its last tick, which may be before the file was opened. */
static void put_time(int fd)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
	clock_gettime(CLOCK_REALTIME, &times[1]);
	futimens(fd, times);
}

int artifact_end(struct artifact *artifact, int error)
{
	bool is_beside = artifact->beside[0] != '\0';
	if (is_beside)
		put_time(artifact->fd);
	if (close(artifact->fd) != 0 && error == 0)
		error = -errno;
	if (is_beside && error == 0)
		error = put_in_place(artifact);
	if (is_beside && error != 0)
		unlink(artifact->beside);
	return error;
}
