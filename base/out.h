/* SPDX-License-Identifier: MIT
 *
 * Buffered output to a file descriptor by write(2) alone, or into memory: no stdio, whose locks and
 * buffers belong to the program, and no malloc. Async-signal-safe. After the first
 * error all further output is dropped; out_end() returns the error.
 */
#ifndef STMLOG_OUT_H
#define STMLOG_OUT_H

#include <stddef.h>
#include <stdint.h>

struct out {
	int fd;       /* OUT_MEMORY: into memory */
	char *memory; /* NULL: the output is only counted */
	size_t room;  /* bytes of the memory */
	size_t done;  /* bytes that are in the memory, or were counted */
	int error;    /* 0, or a negative errno */
	size_t len;
	char bytes[4096];
};

void out_begin(struct out *out, int fd);

/* The output goes into the memory, and is -ENOSPC where it does not fit. Without memory it is counted. */
enum { OUT_MEMORY = -2 };
void out_begin_memory(struct out *out, char *memory, size_t room);

/* Writes what is buffered. Returns 0 or the first error, a negative errno. */
int out_end(struct out *out);

void out_bytes(struct out *out, const void *bytes, size_t len);

void out_text(struct out *out, const char *text);

/* The CRC-32 of zlib, continued from `crc` (0 at the beginning). */
uint32_t crc32_of(uint32_t crc, const void *bytes, size_t len);

#endif
