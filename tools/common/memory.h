/* SPDX-License-Identifier: MIT
 * Memory for the small things of the command. Whoever takes an amount that a file dictates asks malloc itself
 * and tells the file's name; these end the command with one line instead. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

/* There is none: ends the command with one line. */
void memory_end(void) __attribute__((noreturn));

void *memory_zeroed(size_t count, size_t size) __attribute__((malloc));
/* Room for one more behind `len` elements of so many bytes: moves the array and doubles *cap when it is full. */
void *memory_grown(void *array, size_t len, size_t *cap, size_t size);
char *memory_text(const char *text) __attribute__((malloc)); /* a copy */
char *memory_format(const char *format, ...) __attribute__((malloc, format(printf, 1, 2)));

#endif
