/* SPDX-License-Identifier: MIT
 * What is written here goes to a file packed by gzip, piece by piece: memory is needed for the longest one only. */
#ifndef GZIP_H
#define GZIP_H

#include <stddef.h>
#include <stdio.h>

#include <zlib.h>

struct gzip {
	FILE *out; /* errors are looked at when all is written */
	z_stream stream;
	unsigned char *in; /* what is not packed yet: `len` bytes */
	size_t len, cap;
	unsigned char packed[1 << 16];
};

/* These end the command without memory. */
void gzip_begin(struct gzip *gzip, FILE *out);

/* Where the next bytes are to be put, at most so many; and says how many they were. */
void *gzip_room(struct gzip *gzip, size_t most);
void gzip_add(struct gzip *gzip, size_t len);
void gzip_end(struct gzip *gzip);

#endif
