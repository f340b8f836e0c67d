/* SPDX-License-Identifier: MIT
 *
 * Memory for code that runs inside the program's process: whole pages, straight from the kernel. The program's malloc
 * may be the caller, or may not be ready yet. What is freed is kept for the next thread, up to 1,024 pieces of a size:
 * mapping and unmapping holds up all threads of the process, those within transactions too. Any thread;
 * async-signal-safe; keeps errno.
 */
#ifndef NATIVE_PAGES_H
#define NATIVE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory of that size, aligned to a page; pages that are never touched take nothing. NULL: there is none. Free
 * by native_pages_free() with the same size. */
void *native_pages(size_t size);

/* As native_pages(), but the memory may hold what its last owner has left there. No page is touched. */
void *native_pages_unzeroed(size_t size);

/* Does nothing if `memory` is NULL. */
void native_pages_free(void *memory, size_t size);

/* ---- programs with sanitizers ---- */

extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));
extern void __lsan_init(void) __attribute__((weak));

/* Whether the program that this code runs in is built with AddressSanitizer, ThreadSanitizer or LeakSanitizer. Such a
 * program has its own malloc(), which tells its callers by their frames. The first two also have an own memset() and
 * mmap(), which follow each thread's stack and its synchronisation, but not that of a library that is built without.
 * False in a test that is itself built with a sanitizer, which sees all of this code then. Any thread;
 * async-signal-safe.
 */
static inline bool has_sanitizer(void)
{
#ifdef STMLOG_CHECKS
	return false;
#else
	return &__asan_init != NULL || &__tsan_init != NULL || &__lsan_init != NULL;
#endif
}

#endif
