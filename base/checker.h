/* SPDX-License-Identifier: MIT
 *
 * Whether a checker follows all of the program's threads and stacks: AddressSanitizer, ThreadSanitizer or valgrind. It
 * knows neither a stack that is no thread's, nor a process that shares the program's memory.
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

/* The request is some idle instructions without valgrind. */
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
