/* SPDX-License-Identifier: MIT
 * A file that is written beside its place and renamed when it is whole; or stdout, or what is no file at all. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct output {
	const char *path; /* NULL: stdout */
	char *beside;     /* NULL: it is written in its place */
	FILE *file;
};

/* False: it cannot be written there, which was told in one line. */
bool output_begin(struct output *output, const char *path);

/* Puts it where it belongs. False: nothing is there that was not before, and one line told why. */
bool output_end(struct output *output);

#endif
