/* SPDX-License-Identifier: MIT
 *
 * Whether the program that this code runs in is built with AddressSanitizer, ThreadSanitizer or LeakSanitizer. Such a
 * program has its own malloc(), which tells its callers by their frames. The first two also have an own memset() and
 * mmap(), which follow each thread's stack and its synchronisation, but not that of a library that is built without.
 */
#ifndef NATIVE_SANITIZER_H
#define NATIVE_SANITIZER_H

#include <stdbool.h>
#include <stddef.h>

extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));
extern void __lsan_init(void) __attribute__((weak));

/* False in a test that is itself built with a sanitizer, which sees all of this code then. Any thread;
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
