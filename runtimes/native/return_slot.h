/* SPDX-License-Identifier: MIT
 * Where on the stack the calling function will return from: by this and its contents a stack is recognised (cache.h).
 */
#ifndef NATIVE_RETURN_SLOT_H
#define NATIVE_RETURN_SLOT_H

#include <stdint.h>

/* The address of the return address of the function that this stands in. x86-64. */
#define NATIVE_RETURN_SLOT() ((uintptr_t *)__builtin_dwarf_cfa() - 1)

#endif
