/* SPDX-License-Identifier: MIT
 * Compresses to a file, in the format of gzip, piece by piece. Memory is needed for the longest piece only. */
#ifndef GZIP_H
#define GZIP_H

#include <stddef.h>
#include <stdio.h>

#include <zlib.h>

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
