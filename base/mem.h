/* SPDX-License-Identifier: MIT
 *
 * The only way to memory inside somebody else's process. It does not go through
 * the program's malloc, which may be replaced, locked or half-way through a call
 * of its own when a hook runs. Meant for few and large pieces. errno is kept,
 * except that a failure sets ENOMEM. Any thread; async-signal-safe.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* Returns `size` zeroed bytes, aligned to 64; NULL and ENOMEM when there are none. */
void *mem_take(size_t size);

/* Gives back what mem_take(size) returned. NULL is no mistake. */
void mem_give(void *memory, size_t size);

/* Bytes taken and not given back; 0 means nothing leaks. */
size_t mem_live_bytes(void);

/* Tests: the n-th mem_take() from now on fails (1: the next one), once; 0: none. */
void mem_fail_at(size_t n);

/* How many more mem_take() it would take to fail; 0: it has failed, or is not to. */
size_t mem_fail_left(void);

/* What lies beneath, one file per source of memory. */
void *mem_source_take(size_t size);
void mem_source_give(void *memory, size_t size);

#endif
