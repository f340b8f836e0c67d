/* SPDX-License-Identifier: MIT
 * Calls a function on another stack than that of its thread, by makecontext() and swapcontext(). */
#ifndef BASE_OTHER_STACK_H
#define BASE_OTHER_STACK_H

#include <stddef.h>

/* Calls function(arg) in the calling thread, with `memory` of `size` bytes, aligned to 64, as its stack. Takes some 300
 * bytes of the present stack, and 2 KB of the memory, at its end. The function must return, or end the process. errno
 * is then as the function has left it, and the thread's mask of signals as before. A checker (check.h) would report
 * such a stack. */
void other_stack_call(void *memory, size_t size, void (*function)(void *arg), void *arg);

#endif
