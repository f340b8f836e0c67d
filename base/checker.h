/* SPDX-License-Identifier: MIT
 *
 * Tells whether the program runs under a checker that follows all threads and stacks: AddressSanitizer, ThreadSanitizer
 * or valgrind. A checker knows neither a stack that belongs to no thread, nor a process that shares the program's
 * memory, so the library makes neither under one.
 */
#ifndef BASE_CHECKER_H
#define BASE_CHECKER_H

#include <stdbool.h>
#include <stddef.h>

#ifdef STMLOG_CHECKS

static inline bool has_checker(void)
{
	return true;
}

#else

/* For RUNNING_ON_VALGRIND, which is some instructions without effect outside valgrind. */
#include <valgrind/valgrind.h>

extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));

/* Any thread; async-signal-safe. */
static inline bool has_checker(void)
{
	return &__asan_init != NULL || &__tsan_init != NULL || RUNNING_ON_VALGRIND != 0;
}

#endif

#endif
