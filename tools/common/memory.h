/* SPDX-License-Identifier: MIT
 * Memory for the small things of the command: each function ends the command with an error message if there is none.
 * Where a file dictates the amount, the caller uses malloc() and names the file in its error message. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

/* Ends the command: out of memory. */
void memory_end(void) __attribute__((noreturn));

void *memory_zeroed(size_t count, size_t size) __attribute__((malloc));

/* Returns the array with room for one more element behind `len` of `size` bytes. When it is full, moves it and doubles
 * *cap. */
void *memory_grown(void *array, size_t len, size_t *cap, size_t size);
char *memory_text(const char *text) __attribute__((malloc)); /* a copy */
char *memory_format(const char *format, ...) __attribute__((malloc, format(printf, 1, 2)));

#endif
