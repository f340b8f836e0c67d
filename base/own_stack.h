/* SPDX-License-Identifier: MIT
 * Runs a function on a stack of the library's own: the program's thread may have little stack left, as on a signal
 * stack, or may have had little from its beginning (PTHREAD_STACK_MIN). */
#ifndef STMLOG_OWN_STACK_H
#define STMLOG_OWN_STACK_H

/* Calls function(arg) on a fresh stack of 256 KB, in the calling thread; without memory for one, on the present stack.
 * The call must return. Needs some 300 bytes of the present stack itself. */
void own_stack_run(void (*function)(void *arg), void *arg);

#endif
