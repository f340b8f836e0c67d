/* SPDX-License-Identifier: MIT
 * Memory for the small things of the command: each function ends the command with an error message if there is none.
 * free() does what memory_free() of report_memory.h does. Where a file dictates the amount, the caller uses malloc()
 * and names the file in its error message. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

#include "report_memory.h"

/* Ends the command: out of memory. */
void memory_end(void) __attribute__((noreturn));

/* Returns the array with room for one more element behind `len` of `size` bytes. When it is full, moves it and doubles
 * *cap. */
void *memory_grown(void *array, size_t len, size_t *cap, size_t size);

/* Returns the array with room for `max` elements. A smaller one is moved, and *cap at least doubled. */
void *memory_reserved(void *array, size_t max, size_t *cap, size_t size);

#endif
