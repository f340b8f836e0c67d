/* SPDX-License-Identifier: MIT
 * Memory from the kernel, in whole pages: independent of the program's malloc(). */
#include "check.h"
#include "mem.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void *mem_source_alloc(size_t size)
{
	void *memory = mmap(NULL, size != 0 ? size : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* cppcheck-suppress memleak ; MAP_FAILED is no memory */
	return memory == MAP_FAILED ? NULL : memory;
}

void mem_discard(void *memory, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = ((uintptr_t)memory + page - 1) & ~(page - 1);
	uintptr_t to = ((uintptr_t)memory + size) & ~(page - 1);
	int saved = errno;
	if (to > from)
		madvise((void *)from, to - from, MADV_DONTNEED);
	errno = saved;
}

void mem_source_free(void *memory, size_t size)
{
	REQUIRES(memory != NULL);
	munmap(memory, size != 0 ? size : 1);
}
