/* SPDX-License-Identifier: MIT
 * Tail calls. A function that ends with a call may jump instead, and leaves the stack: the call of its caller leads to
 * it, and another function is on the stack. Addresses are those in the file. */
#ifndef TAIL_CALL_H
#define TAIL_CALL_H

#include "code.h"

/* Where the function begins that was called before `returned`, if it has left the stack, since another one has the
 * address `below`. 0: none has left, or that is not known: the call is of a computed address, or of another file. Sets
 * *jumped to the address behind its jump to the other function; 0: it has none, or several. */
uint64_t tail_call_find(const struct code *code, uint64_t returned, uint64_t below, uint64_t *jumped);

#endif
