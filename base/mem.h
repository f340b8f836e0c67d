/* SPDX-License-Identifier: MIT
 *
 * The only source of memory of the library. The program's malloc() is not used: the
 * program may have replaced it, and a hook may run while a call of malloc() is under way
 * and holds a lock. (Builds for sanitizers do use it, see mem_malloc.c.) Meant for few
 * and large pieces. Any thread; async-signal-safe. errno is kept, except that a failure
 * sets ENOMEM.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

#include <atomic_ops.h>

/* Returns `size` zeroed bytes, aligned to 64; NULL and ENOMEM when there are none. */
void *mem_alloc(size_t size);

/* Frees memory that mem_alloc(size) returned. NULL is allowed. */
void mem_free(void *memory, size_t size);

/* For mem_table() only: allocates a table. */
void *mem_table_first(volatile AO_t *table, size_t size);

/* A table of the process: zeroed memory that the first call allocates and nobody frees. `*table` is 0 before, and its
 * address afterwards, stored with release. Returns NULL without memory; the next call tries again. Keeps errno. Pages
 * that are never touched take no memory. */
static inline void *mem_table(volatile AO_t *table, size_t size)
{
	AO_t memory = AO_load_acquire(table); /* partner: mem_table_first() */
	return memory != 0 ? (void *)memory : mem_table_first(table, size);
}

/* From now on the kernel is called by mmap() and munmap() alone: a filter of system calls may kill the process for
 * madvise(), which a program with one thread has no need to allow. Freed memory then stays with the process. */
void mem_stop_madvise(void);

/* Bytes that were allocated and not freed; without tables, which nobody frees. */
size_t mem_live_bytes(void);

/* Tests: the n-th allocation from now on fails, once. 1: the next one; 0: none. */
void mem_fail_at(size_t n);

/* Tests: which allocation from now on will fail; 0: it has failed, or none will. */
size_t mem_fail_left(void);

/* For mem.c only: mem_alloc() and mem_free() without counting, and without keeping errno. In mem_mmap.c, or, in builds
 * for sanitizers, in mem_malloc.c. Requires: `memory` is not NULL. */
void *mem_source_alloc(size_t size);
void mem_source_free(void *memory, size_t size);

#endif
