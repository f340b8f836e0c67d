/* SPDX-License-Identifier: MIT
 *
 * Checks what a function requires of its callers inside the library and the command. In builds with STMLOG_CHECKS
 * (SAN=..., RACE=1, DEBUG=1) a broken requirement ends the process with a line that names it. In all other builds
 * nothing is evaluated: a profiler must not end the program that it observes.
 *
 * Mistakes of the library's user are not checked here: they are refused and counted (misuse.h). And whether another
 * checker follows the program.
 */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* ---- requirements ---- */

#ifdef STMLOG_CHECKS
#define CHECK(condition, text) ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, text))
#else
#define CHECK(condition, text) ((void)0)
#endif

/* At the beginning of a function: a condition that its declaration requires. */
#define REQUIRES(condition) CHECK(condition, "requires " #condition)

/* Behind a change: the invariant that the structure's declaration states. */
#define ENSURES(condition) CHECK(condition, "ensures " #condition)

/* Prints the line to stderr and aborts. */
void check_failed(const char *file, int line, const char *text) __attribute__((noreturn));

/* ---- checkers of threads and stacks ----
 *
 * Whether the program runs under a checker that follows all threads and stacks: AddressSanitizer, ThreadSanitizer or
 * valgrind. A checker knows neither a stack that belongs to no thread, nor a process that shares the program's
 * memory, so the library makes neither under one. */

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
