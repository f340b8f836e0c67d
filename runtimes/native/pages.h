/* SPDX-License-Identifier: MIT
 *
 * Memory for code that runs inside the program's process: whole pages, straight from the kernel. The program's malloc
 * may be the caller, or may not be ready yet.
 */
#ifndef NATIVE_PAGES_H
#define NATIVE_PAGES_H

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

/* Zeroed memory of that size, aligned to a page; pages that are never touched take nothing. NULL: there is none. Keeps
 * errno. Free by native_pages_free() with the same size. */
static inline void *native_pages(size_t size)
{
	int saved = errno;
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = saved;
	/* cppcheck-suppress memleak ; MAP_FAILED is none */
	return memory != MAP_FAILED ? memory : NULL;
}

/* Of NULL: nothing. */
static inline void native_pages_free(void *memory, size_t size)
{
	if (memory != NULL)
		munmap(memory, size);
}

#endif
