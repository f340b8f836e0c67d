/* SPDX-License-Identifier: MIT
 * An output file that is either there as a whole or not at all: it is written under a temporary name beside its
 * path, and then renamed. Its time of change is exact. If the path is a pipe, a terminal or a device, a rename would
 * replace that: the bytes are written to it directly. */
#ifndef STMLOG_ARTIFACT_H
#define STMLOG_ARTIFACT_H

#include <limits.h>

struct artifact {
	int fd;
	const char *path;      /* borrowed until artifact_end() */
	char beside[PATH_MAX]; /* the temporary name; empty: the path is written directly */
};

/* Opens artifact->fd. Returns 0 or a negative errno; then there is nothing to end. */
int artifact_begin(struct artifact *artifact, const char *path);

/* Closes the file, and renames it to its path if `error` is 0, or removes it otherwise. Returns `error`, or else the
 * first error of its own, a negative errno. */
int artifact_end(struct artifact *artifact, int error);

#endif
