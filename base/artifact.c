/* SPDX-License-Identifier: MIT
 * Output files that appear at once: the temporary file, and the rename. */
#include "artifact.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Behind a dot, to make the temporary name. */
enum { SUFFIX = 6, TRIES = 100 };

/* Not to be guessed, or else somebody who may write into the directory could take all names before. */
static void put_suffix(char *at)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	struct timespec now;
	uint64_t bits;
	if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != sizeof bits) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		bits = ((uint64_t)now.tv_nsec << 32 | (uint64_t)getpid()) * UINT64_C(0x9e3779b97f4a7c15);
	}
	for (size_t i = 0; i < SUFFIX; i++, bits >>= 5)
		at[i] = letters[bits & 31];
	at[SUFFIX] = '\0';
}

/* The process's umask decides who may read the file, as it does for any file of the program's. Nothing is followed or
 * opened that is there already. */
static int open_beside(struct artifact *artifact, const char *path)
{
	size_t len = strlen(path);
	if (len + 1 + SUFFIX >= sizeof artifact->beside)
		return -ENAMETOOLONG;
	memcpy(artifact->beside, path, len);
	artifact->beside[len] = '.';
	for (int tries = 0; tries < TRIES; tries++) {
		put_suffix(artifact->beside + len + 1);
		artifact->fd = open(artifact->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (artifact->fd >= 0 || errno != EEXIST)
			break;
	}
	return artifact->fd < 0 ? -errno : 0;
}

/* A FIFO that nobody reads is an error, ENXIO: it would be waited for as long as nobody comes. */
static int open_in_place(struct artifact *artifact, const char *path)
{
	artifact->beside[0] = '\0';
	artifact->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (artifact->fd < 0)
		return -errno;
	fcntl(artifact->fd, F_SETFL, fcntl(artifact->fd, F_GETFL) & ~O_NONBLOCK);
	return 0;
}

int artifact_begin(struct artifact *artifact, const char *path)
{
	struct stat status;
	artifact->path = path;
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
		return open_in_place(artifact, path);
	return open_beside(artifact, path);
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
	if (is_beside && error == 0 && rename(artifact->beside, artifact->path) != 0)
		error = -errno;
	if (is_beside && error != 0)
		unlink(artifact->beside);
	return error;
}
