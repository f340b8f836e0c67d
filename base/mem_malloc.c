/* SPDX-License-Identifier: MIT
 * Memory from malloc, in builds for sanitizers and race detectors: these check leaks and overruns of malloc's blocks.
 */
#include "check.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

void *mem_source_alloc(size_t size)
{
	size_t rounded = (size + 63) & ~(size_t)63;
	void *memory = aligned_alloc(64, rounded != 0 ? rounded : 64);
	if (memory != NULL)
		memset(memory, 0, size);
	return memory;
}

void mem_source_free(void *memory, size_t size)
{
	REQUIRES(memory != NULL);
	(void)size;
	free(memory);
}

void mem_stop_madvise(void)
{
}
