/* SPDX-License-Identifier: MIT
 * Which structure the argument of a call points into, by the machine code before the call and the places that debug
 * information has for variables: `lea 0x18(%rbx), %rdi` with a variable in rbx that is a pointer to a Book leads to
 * what lies at offset 24 of a Book. */
#ifndef POINTER_H
#define POINTER_H

#include <stdbool.h>
#include <stdint.h>

#include <elfutils/libdw.h>

#include "code.h"
#include "inlining.h"
#include "variables.h"

struct pointer {
	Dwarf_Die type; /* as the variable's type names it, or a member's */
	uint64_t offset;
	bool is_indexed; /* of an array: the offset is that of its first element, and another one may be meant */
};

/* Of the first argument of the call that returns to `address` (in the file). False: it is not known for certain. */
bool pointer_before_call(const struct code *code, struct inlining *inlining, struct variables *variables,
	uint64_t address, struct pointer *pointer);

#endif
