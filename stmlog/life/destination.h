/* SPDX-License-Identifier: MIT
 * The path of an output: from a pattern of the user's, such that no two processes or sessions get the same one. */
#ifndef STMLOG_DESTINATION_H
#define STMLOG_DESTINATION_H

#include <limits.h>
#include <sys/types.h>

struct destination {
	const char *option;  /* that names it: "out" or "report" */
	const char *pattern; /* NULL: none is wanted */
	const char *late;    /* the pattern once the directory of the other is gone; NULL: none */
	int directory; /* of the pattern, between destination_choose() and destination_leave(); negative: not open */
	dev_t device;  /* of the file that was written last */
	ino_t inode;   /* 0: nothing was written yet */
};

/* The current directory is from now on the one that relative paths begin at. */
void destination_remember_directory(void);

/* The path to write now; PATH.2, PATH.3 and so on, with a line on stderr, if others have written PATH since the session
 * was opened. Returns 0 or a negative errno. */
int destination_choose(struct destination *destination, char path[PATH_MAX]);

/* To be called behind destination_choose(), when the path is not needed any more. */
void destination_leave(struct destination *destination);

/* The output was written at this path. */
void destination_wrote(struct destination *destination, const char *path);

#endif
