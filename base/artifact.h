/* SPDX-License-Identifier: MIT
 * An output file that is either there as a whole or not at all: it is written without a name, or, where the file system
 * has no such files, under a temporary name beside its path, and then renamed. A process that is killed meanwhile
 * leaves nothing, or a file with a temporary name, which artifact_sweep() removes later. The file's time of change is
 * exact.
 *   A file that is at the path already stays the same file to its users, as with cp: a new one that is renamed to the
 * path has its mode and its owner. Where that is not possible, and where the file has further names (hard links, or a
 * symbolic link at the path, which is followed if artifact_follow() allows it), the whole is copied into it at the end;
 * only then can a process that is killed leave a part. A file that this user may not write is an error. A pipe, a
 * terminal or a device at the path is written directly, because a rename would replace it. */
#ifndef STMLOG_ARTIFACT_H
#define STMLOG_ARTIFACT_H

#include <limits.h>
#include <stdbool.h>

struct artifact {
	int fd;
	int old;               /* the file at the path, into which the whole is copied at the end; -1: none */
	const char *path;      /* borrowed until artifact_end() */
	char beside[PATH_MAX]; /* the temporary name; empty: the file has none yet */
	unsigned mode;         /* at first */
	bool is_nameless;      /* the file had no name when it was opened */
	bool is_in_place;      /* what is at the path is written itself: by the copy, or directly */
};

enum artifact_way {
	ARTIFACT_AT_ONCE, /* a FIFO that nobody reads is an error, -ENXIO */
	ARTIFACT_WAITING, /* artifact_begin() waits until somebody reads the FIFO */
	ARTIFACT_NAMED,   /* for tests: like ARTIFACT_AT_ONCE on a file system that has no files without a name */
};

/* Opens artifact->fd. Returns 0 or a negative errno; after an error artifact_end() is not called. */
int artifact_begin(struct artifact *artifact, const char *path, enum artifact_way way);

/* Closes the file, and renames it to its path if `error` is 0, or removes it otherwise. Returns `error`, or else the
 * first error of its own, a negative errno. */
int artifact_end(struct artifact *artifact, int error);

/* The end of a message about this negative errno of the functions above: what the user can do. NULL: choose another
 * place. */
const char *artifact_remedy(int error);

/* Sets `target` to the file to which the symbolic link at the path leads. Returns false if there is no link; and if
 * neither this user nor the owner of the link's directory has made it, because others may lead to any file of this
 * user's: the file that is written takes the place of their link. Keeps errno. */
bool artifact_follow(const char *path, char target[PATH_MAX]);

/* Removes the temporary files of this path that no process writes any more. Keeps errno. */
void artifact_sweep(const char *path);

#endif
