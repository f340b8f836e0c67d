/* SPDX-License-Identifier: MIT
 *
 * For programs that are built with
 *
 *     gcc -fgnu-tm -finstrument-functions -include stmlog/functions.h
 *
 * so that `stmlog record --stacks=full` knows the callers of both sides of a conflict, within
 * transactions too. With this option each function calls the two functions below when it is
 * entered and left. The compiler allows such calls within transactions only if they are declared
 * transaction_pure. Nothing else changes, and nothing has to be linked: without the profiler the
 * calls go to the C library's functions, which do nothing.
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
