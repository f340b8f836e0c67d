/* SPDX-License-Identifier: MIT
 * A stack for the command that does not depend on RLIMIT_STACK (ulimit -s): libdw takes more than 128 KB. */
#ifndef LARGE_STACK_H
#define LARGE_STACK_H

/* Calls function(arg) in the calling thread, on a stack of 8 MB. So signals, limits and what a child inherits are as
 * without the call. Without memory for the stack, or under a checker (checker.h), it is called on the present one. The
 * function must return, or end the process. */
void large_stack_call(void (*function)(void *arg), void *arg);

#endif
