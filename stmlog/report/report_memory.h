/* SPDX-License-Identifier: MIT
 * Memory for what a report is made of. Whoever links this room defines these functions: the command takes memory from
 * malloc and ends when there is none (tools/common/memory.c); the library takes it from an arena and gives the report
 * up (stmlog/output/report_memory.c). So nobody here looks for NULL. */
#ifndef REPORT_MEMORY_H
#define REPORT_MEMORY_H

#include <stddef.h>

/* Zeroed bytes. */
void *memory_zeroed(size_t count, size_t size) __attribute__((malloc));
char *memory_text(const char *text) __attribute__((malloc)); /* a copy */
char *memory_format(const char *format, ...) __attribute__((malloc, format(printf, 1, 2)));

/* What one of the functions above returned, or NULL. */
void memory_free(void *memory);

#endif
