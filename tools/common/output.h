/* SPDX-License-Identifier: MIT
 * An output file of a command (artifact.h), or stdout. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct artifact;

struct output {
	const char *path; /* NULL: stdout */
	FILE *file;
	struct artifact *artifact; /* of the path; owned. NULL: stdout */
};

/* The path NULL or - is stdout. Returns false, and prints why, if the file cannot be written. */
bool output_begin(struct output *output, const char *path);

/* The same for bytes that are no text: a terminal is refused. */
bool output_begin_binary(struct output *output, const char *path);

/* Puts the file in its place. Returns false, prints why, and leaves an older file as it was, if that fails. */
bool output_end(struct output *output);

#endif
