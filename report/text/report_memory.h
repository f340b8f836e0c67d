/* SPDX-License-Identifier: MIT
 * Memory for what a report is made of. There are two sources of it, and the build chooses one: the library takes memory
 * from an arena and gives the report up when there is none (report_arena.c); the command takes memory from malloc and
 * ends when there is none (tools/common/memory.c). So nobody who takes memory looks for NULL. */
#ifndef REPORT_MEMORY_H
#define REPORT_MEMORY_H

#include <stddef.h>

/* Zeroed bytes. */
void *memory_zeroed(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
char *memory_text(const char *text) __attribute__((malloc, returns_nonnull)); /* a copy */
char *memory_format(const char *format, ...) __attribute__((malloc, returns_nonnull, format(printf, 1, 2)));

/* What one of the functions above returned, or NULL. */
void memory_free(void *memory);

#endif
