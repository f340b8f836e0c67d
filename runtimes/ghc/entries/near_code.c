/* SPDX-License-Identifier: MIT
 * Asks the kernel for memory with code, and for other protections of it. */
#include "near_code.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool near_code_protect(const void *at, size_t size, int protection)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)at & ~(page - 1);
	uintptr_t end = ((uintptr_t)at + size + page - 1) & ~(page - 1);
	return mprotect((void *)first, end - first, protection) == 0;
}

void *near_code_make(const void *bytes, size_t size, bool is_low)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | (is_low ? MAP_32BIT : 0);
	void *code = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (code == MAP_FAILED)
		return NULL;
	memcpy(code, bytes, size);
	if (mprotect(code, size, PROT_READ | PROT_EXEC) == 0)
		return code;
	munmap(code, size);
	return NULL;
}
