/* SPDX-License-Identifier: MIT
 * Memory for the small things of the command: each function ends the command with an error message if there is none.
 * free() does what memory_free() of report_memory.h does. Where a file dictates the amount, the caller uses malloc()
 * and names the file in its error message. And a stack that is large enough for libdw. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

#include "report_memory.h"

/* Ends the command: out of memory. */
void memory_end(void) __attribute__((noreturn));

/* Returns the array with room for one more element behind `len` of `size` bytes. When it is full, moves it and doubles
 * *cap. */
void *memory_grown(void *array, size_t len, size_t *cap, size_t size);

/* Returns the array with room for `max` elements. A smaller one is moved, and *cap at least doubled. */
void *memory_reserved(void *array, size_t max, size_t *cap, size_t size);

/* ---- a large stack ---- */

/* A stack for the command that does not depend on RLIMIT_STACK (ulimit -s): libdw takes more than 128 KB. */

/* Calls function(arg) in the calling thread, on a stack of 8 MB. So signals, limits and what a child inherits are as
 * without the call. Without memory for the stack, or under a checker (check.h), it is called on the present one. The
 * function must return, or end the process. */
void large_stack_call(void (*function)(void *arg), void *arg);

#endif
