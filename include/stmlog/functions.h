/* SPDX-License-Identifier: MIT
 *
 * For programs that are built with
 *
 *     gcc -fgnu-tm -finstrument-functions -include stmlog/functions.h
 *
 * so that `stmlog record --stacks=full` knows the callers of both sides of a conflict, within
 * transactions too. The compiler has each function call the two below when it is entered and
 * left; it refuses that in functions that transactions call, unless it is told that these calls
 * are none of the transaction's business. Nothing else is changed, and nothing need be
 * linked: without the profiler they are the C library's, which do nothing.
 */
#ifndef STMLOG_FUNCTIONS_H
#define STMLOG_FUNCTIONS_H

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((transaction_pure)) void __cyg_profile_func_enter(void *function, void *from);
__attribute__((transaction_pure)) void __cyg_profile_func_exit(void *function, void *from);
__attribute__((transaction_pure)) void *__builtin_return_address(unsigned);

#ifdef __cplusplus
}
#endif

#endif
