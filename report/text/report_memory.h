/* SPDX-License-Identifier: MIT
 * Memory for making a report. The command ends when there is none (tools/common/memory.c). So callers need not check
 * for NULL. */
#ifndef REPORT_MEMORY_H
#define REPORT_MEMORY_H

#include <stddef.h>

/* Allocates zeroed bytes. */
void *memory_zeroed(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
char *memory_text(const char *text) __attribute__((malloc, returns_nonnull)); /* a copy */
char *memory_format(const char *format, ...) __attribute__((malloc, returns_nonnull, format(printf, 1, 2)));

/* Frees memory that one of the functions above returned. NULL is allowed. */
void memory_free(void *memory);

#endif
