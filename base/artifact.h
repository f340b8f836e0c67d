/* SPDX-License-Identifier: MIT
 * A file that is either there as a whole or not at all: written beside its place, then renamed. What is
 * no regular file (a pipe, a terminal, /dev/null) is written to as it is: to rename over it would take
 * it away. */
#ifndef STMLOG_ARTIFACT_H
#define STMLOG_ARTIFACT_H

#include <limits.h>

struct artifact {
	int fd;
	const char *path;      /* the caller's; lives as long as the artifact */
	char beside[PATH_MAX]; /* empty: written in place */
};

/* 0 or a negative errno. */
int artifact_begin(struct artifact *artifact, const char *path);

/* Renames it into place if `error` is 0, removes it otherwise. Returns the first error. */
int artifact_end(struct artifact *artifact, int error);

#endif
