/* SPDX-License-Identifier: MIT
 * Counts allocated memory, and makes allocations fail when tests ask for it. The memory comes from mem_mmap.c; in
 * sanitizer builds from mem_malloc.c, where the sanitizers can check it. */
#include "mem.h"

#include <errno.h>

#include <atomic_ops.h>

static volatile AO_t live_bytes;
static volatile AO_t fail_at;

/* Not counted in live_bytes. */
static void *allocate(size_t size)
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
	void *memory = mem_source_alloc(size);
	if (memory == NULL) {
		errno = ENOMEM;
		return NULL;
	}
	errno = saved;
	return memory;
}

void *mem_alloc(size_t size)
{
	void *memory = allocate(size);
	if (memory != NULL)
		AO_fetch_and_add(&live_bytes, size);
	return memory;
}

void mem_free(void *memory, size_t size)
{
	if (memory == NULL)
		return;
	int saved = errno;
	AO_fetch_and_add(&live_bytes, (AO_t)0 - size);
	mem_source_free(memory, size);
	errno = saved;
}

/* Of two threads that allocate the table at the same time one frees its memory again. */
void *mem_table_first(volatile AO_t *table, size_t size)
{
	int saved = errno;
	void *memory = allocate(size);
	if (memory != NULL && !AO_compare_and_swap_full(table, 0, (AO_t)memory)) { /* partner: mem_table() */
		mem_source_free(memory, size);
		memory = (void *)AO_load_acquire(table);
	}
	errno = saved;
	return memory;
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
