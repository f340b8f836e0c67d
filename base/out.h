/* SPDX-License-Identifier: MIT
 * Output where stdio and malloc() may not be used, in signal handlers and in somebody else's process: their locks and
 * buffers belong to the program. All functions are async-signal-safe. */
#ifndef STMLOG_OUT_H
#define STMLOG_OUT_H

#include <stddef.h>
#include <stdint.h>

/* ---- buffered output to a file descriptor, by write(2) alone, or into memory ----
 *
 * After the first error all further output is dropped; out_end() returns the error. */

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

/* ---- numbers as text ---- */

#define DECIMAL_SIZE 21 /* bytes of the largest number, terminated */

/* Writes the decimal digits and a NUL at the end of `text`. Returns the first digit. */
static inline const char *decimal_text(char text[DECIMAL_SIZE], uint64_t number)
{
	size_t at = DECIMAL_SIZE - 1;
	text[at] = '\0';
	do
		text[--at] = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	return text + at;
}

/* ---- stderr ----
 *
 * A daemon closes its standard streams; the next file that it opens, a database perhaps, then has the number 2, and the
 * library must not write to that file. */

/* Remembers which file descriptor 2 is now. Called when the library is loaded: later it may be another file already.
 * One thread. */
void standard_error_note(void);

/* Returns 2 if descriptor 2 is still the remembered file, or is a log: a file that is open for appending only.
 * Otherwise returns -1, to which no write succeeds. Any thread; async-signal-safe; keeps errno. */
int standard_error(void);

/* Prints "stmlog: ", the texts, and the end of the line there; the last argument is NULL. Any thread;
 * async-signal-safe. */
void standard_error_tell(const char *first, ...) __attribute__((sentinel));

#endif
