/* SPDX-License-Identifier: MIT
 * Memory for making a report. It has two implementations, and the build chooses one: the library allocates from an
 * arena and abandons the report when memory runs out (report_arena.c); the command uses malloc() and exits
 * (tools/common/memory.c). So callers need not check for NULL. */
#ifndef REPORT_MEMORY_H
#define REPORT_MEMORY_H

#include <stddef.h>

/* Allocates zeroed bytes. */
void *memory_zeroed(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
char *memory_text(const char *text) __attribute__((malloc, returns_nonnull)); /* a copy */
char *memory_format(const char *format, ...) __attribute__((malloc, returns_nonnull, format(printf, 1, 2)));

/* Frees memory that one of the functions above returned. NULL is allowed. */
void memory_free(void *memory);

/* Only in the library, where each thread that makes a report has an arena of its own. Calls work(arg), which may
 * allocate with the functions above, and then frees all of this memory. Returns 0, or -ENOMEM if memory ran out: then
 * longjmp() has left `work`. Must not be called within `work`. */
int report_arena_run(void (*work)(void *arg), void *arg);

#endif
