/* SPDX-License-Identifier: MIT
 *
 * Changes of the program's machine code, and code of our own that the program's code can reach by a jump of 32 bits.
 */
#ifndef GHC_NEAR_CODE_H
#define GHC_NEAR_CODE_H

#include <stdbool.h>
#include <stddef.h>

/* Sets the protection (mprotect()) of the one or two pages that have these bytes. Returns false if the kernel refuses
 * it. */
bool near_code_protect(const void *at, size_t size, int protection);

/* Copies the bytes to executable memory, which is never freed; `is_low`: below 2 GiB. NULL: there is no memory, or the
 * kernel lets nobody write code. Any thread. */
void *near_code_make(const void *bytes, size_t size, bool is_low);

#endif
