/* SPDX-License-Identifier: MIT
 * Counts memory, and fails on demand of tests. The memory comes from mem_mmap.c; in sanitizer builds from
 * mem_malloc.c, where the sanitizers can check it. */
#include "mem.h"

#include <errno.h>

#include <atomic_ops.h>

static volatile AO_t live_bytes;
static volatile AO_t fail_at;

void *mem_take(size_t size)
{
	/* Only tests set fail_at, with one thread under test: load and store need not be one step. */
	AO_t countdown = AO_load(&fail_at);
	if (countdown != 0) {
		AO_store(&fail_at, countdown - 1);
		if (countdown == 1) {
			errno = ENOMEM;
			return NULL;
		}
	}
	int saved = errno;
	void *memory = mem_source_take(size);
	if (memory == NULL) {
		errno = ENOMEM;
		return NULL;
	}
	errno = saved;
	AO_fetch_and_add(&live_bytes, size);
	return memory;
}

void mem_give(void *memory, size_t size)
{
	if (memory == NULL)
		return;
	int saved = errno;
	AO_fetch_and_add(&live_bytes, (AO_t)0 - size);
	mem_source_give(memory, size);
	errno = saved;
}

size_t mem_live_bytes(void)
{
	return AO_load(&live_bytes);
}

void mem_fail_at(size_t n)
{
	AO_store(&fail_at, n);
}

size_t mem_fail_left(void)
{
	return AO_load(&fail_at);
}
