/* SPDX-License-Identifier: MIT
 * Memory from the kernel, in whole pages: independent of the program's malloc(). */
#include "check.h"
#include "mem.h"

#include <sys/mman.h>

void *mem_source_alloc(size_t size)
{
	void *memory = mmap(NULL, size != 0 ? size : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* cppcheck-suppress memleak ; MAP_FAILED is no memory */
	return memory == MAP_FAILED ? NULL : memory;
}

void mem_source_free(void *memory, size_t size)
{
	REQUIRES(memory != NULL);
	munmap(memory, size != 0 ? size : 1);
}
