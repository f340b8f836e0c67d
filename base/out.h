/* SPDX-License-Identifier: MIT
 *
 * Writing to a file descriptor with nothing but write(2): no stdio, whose locks and
 * buffers belong to the program, and no malloc; async-signal-safe. The first error
 * sticks; everything after it is dropped.
 */
#ifndef STMLOG_OUT_H
#define STMLOG_OUT_H

#include <stddef.h>
#include <stdint.h>

struct out {
	int fd;
	int error; /* 0, or a negative errno */
	size_t len;
	char bytes[4096];
};

void out_begin(struct out *out, int fd);

/* Writes what is buffered. Returns 0 or the first error, a negative errno. */
int out_end(struct out *out);

void out_bytes(struct out *out, const void *bytes, size_t len);

void out_text(struct out *out, const char *text);

/* Texts up to a NULL. */
void out_texts(struct out *out, ...) __attribute__((sentinel));

/* Decimal; with thousands separated by commas; hexadecimal. */
void out_number(struct out *out, uint64_t number);
void out_count(struct out *out, uint64_t number);
void out_hex(struct out *out, uint64_t number);

/* "1 thread", "1,234 threads". */
void out_counted(struct out *out, uint64_t number, const char *noun);

/* A duration with three or more digits and its unit: "123 ns", "1.23 us", "12.3 ms", "1,234 s". */
void out_duration(struct out *out, uint64_t ns);

/* part / whole as "12.3 %"; "-" for whole 0. */
void out_percent(struct out *out, uint64_t part, uint64_t whole);

/* CRC-32 as zlib's, continued from `crc` (0 at the beginning). */
uint32_t crc32_of(uint32_t crc, const void *bytes, size_t len);

#endif
