/* SPDX-License-Identifier: MIT
 * Chooses the path of an output, from a pattern of the user's, so that no two processes or sessions get the same
 * path. */
#ifndef STMLOG_DESTINATION_H
#define STMLOG_DESTINATION_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct destination {
	const char *option;  /* the option that has the pattern: "out" or "report" */
	const char *pattern; /* NULL: none is wanted */
	const char *late;    /* used instead when the directory of `pattern` is gone; NULL: none */
	bool is_late;        /* `late` is used now */
	int directory; /* of the pattern, between destination_choose() and destination_leave(); negative: not open */
	dev_t device;  /* of the file that was written last */
	ino_t inode;   /* 0: nothing was written yet */
};

/* Remembers the current directory: from now on relative paths begin there. */
void destination_remember_directory(void);

/* Sets `path` to the path to write now. It is PATH.2, PATH.3 and so on, with a line on stderr, if others have written
 * PATH since the session was opened. Returns 0 or a negative errno. */
int destination_choose(struct destination *destination, char path[PATH_MAX]);

/* Returns the path of the pattern, for messages: expanded in `path`, or the pattern itself if it is too long. */
const char *destination_name(const struct destination *destination, char path[PATH_MAX]);

/* Called after destination_choose(), when the path is not needed any more. */
void destination_leave(struct destination *destination);

/* Called when the output was written at this path. */
void destination_wrote(struct destination *destination, const char *path);

#endif
