/* SPDX-License-Identifier: MIT
 * The kernel gives memory only to those pages of the stack that are used. Nothing can be read or written in the lowest
 * page, so that the process ends if a function needs more. */
#include "large_stack.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "checker.h"
#include "other_stack.h"

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
