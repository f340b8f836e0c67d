/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "diag.h"

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

void memory_end(void)
{
	diag(NULL, "out of memory");
	exit(STATUS_UNUSABLE);
}

static void *or_end(void *memory)
{
	if (memory == NULL)
		memory_end();
	return memory;
}

/* Advises whole pages. So a piece that malloc() has mapped stays one mapping, and realloc() moves its pages rather than
 * its bytes: the kernel moves no two mappings at a time. */
void memory_expect(void *memory, size_t size)
{
	uintptr_t from = (uintptr_t)memory & ~(uintptr_t)(PAGE - 1);
	uintptr_t until = ((uintptr_t)memory + size + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	int saved = errno;
	if (memory != NULL && size >= HUGE_PAGE)
		madvise((void *)from, until - from, MADV_HUGEPAGE); /* else it is only slower */
	errno = saved;
}

void *memory_zeroed(size_t count, size_t size)
{
	void *memory = or_end(calloc(count != 0 ? count : 1, size));
	memory_expect(memory, count * size);
	return memory;
}

void *memory_reserved(void *array, size_t most, size_t *cap, size_t size)
{
	if (most <= *cap)
		return array;
	*cap = most > 2 * *cap ? most : 2 * *cap;
	array = or_end(reallocarray(array, *cap, size));
	memory_expect(array, *cap * size);
	return array;
}

void *memory_grown(void *array, size_t len, size_t *cap, size_t size)
{
	return len < *cap ? array : memory_reserved(array, *cap != 0 ? len + 1 : 8, cap, size);
}

char *memory_text(const char *text)
{
	return or_end(strdup(text));
}

char *memory_format(const char *format, ...)
{
	char *text = NULL;
	va_list arguments;
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	return or_end(text);
}

void memory_free(void *memory)
{
	free(memory);
}
