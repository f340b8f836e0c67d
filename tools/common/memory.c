/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "diag.h"
#include "other_stack.h"

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

void *memory_zeroed(size_t count, size_t size)
{
	return or_end(calloc(count != 0 ? count : 1, size));
}

void *memory_reserved(void *array, size_t max, size_t *cap, size_t size)
{
	if (max <= *cap)
		return array;
	*cap = max > 2 * *cap ? max : 2 * *cap;
	return or_end(reallocarray(array, *cap, size));
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

/* ---- a large stack ---- */

/* The kernel gives memory only to those pages of the stack that are used. Nothing can be read or written in the lowest
 * page, so that the process ends if a function needs more. */
void large_stack_call(void (*function)(void *arg), void *arg)
{
	enum { BYTES = 8 << 20 };
	void *memory = has_checker() ? MAP_FAILED
				     : mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
					       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (memory == MAP_FAILED) {
		function(arg);
		return;
	}
	mprotect(memory, (size_t)getpagesize(), PROT_NONE);
	other_stack_call(memory, BYTES, function, arg);
	munmap(memory, BYTES);
}
