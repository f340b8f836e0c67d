/* SPDX-License-Identifier: MIT
 * An output file of a command (artifact.h), or stdout; and its compression. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <zlib.h>

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

/* ---- compression ---- */

/* Compresses to a file, in the format of gzip, piece by piece. Memory is needed for the longest piece only. */

struct gzip {
	FILE *out; /* errors are looked at when all is written */
	z_stream stream;
	unsigned char *in; /* `len` bytes that are not compressed yet */
	size_t len, cap;
	unsigned char packed[1 << 16];
};

/* Each function ends the command if there is no memory. */
void gzip_begin(struct gzip *gzip, FILE *out);

/* gzip_room() returns room for `max` bytes. gzip_add() takes over the `len` bytes that the caller has put there. */
void *gzip_room(struct gzip *gzip, size_t max);
void gzip_add(struct gzip *gzip, size_t len);
void gzip_end(struct gzip *gzip);

#endif
