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

/* Returns `size` zeroed bytes, aligned to 64; NULL and ENOMEM when there are none. */
void *mem_take(size_t size);

/* Gives back what mem_take(size) returned. NULL is no mistake. */
void mem_give(void *memory, size_t size);

/* Bytes that were taken and not given back. */
size_t mem_live_bytes(void);

/* Tests: the n-th mem_take() from now on fails, once. 1: the next call; 0: no call. */
void mem_fail_at(size_t n);

/* Tests: after how many more calls mem_take() will fail; 0: it has failed, or will not fail. */
size_t mem_fail_left(void);

/* For mem.c only: mem_take() and mem_give() without counting, and without care for errno. In mem_mmap.c, or, in builds
 * for sanitizers, in mem_malloc.c. Requires: `memory` is not NULL. */
void *mem_source_take(size_t size);
void mem_source_give(void *memory, size_t size);

#endif
