/* SPDX-License-Identifier: MIT
 * The stack slot of a function's return address, by which stacks are recognised (cache.h). */
#ifndef NATIVE_RETURN_SLOT_H
#define NATIVE_RETURN_SLOT_H

#include <stdint.h>

/* The slot for the function in which this macro stands. For x86-64. */
#define NATIVE_RETURN_SLOT() ((uintptr_t *)__builtin_dwarf_cfa() - 1)

#endif
