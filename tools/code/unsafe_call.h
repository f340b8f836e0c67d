/* SPDX-License-Identifier: MIT
 * The call because of which a transaction of libitm became irrevocable, say of fprintf(), found in the machine code.
 * Two places lead to it: where the transaction asked for it during its run, by _ITM_changeTransactionMode(), directly
 * before that call; and where a transaction begins of which the compiler knew that it makes such a call. */
#ifndef UNSAFE_CALL_H
#define UNSAFE_CALL_H

#include "code.h"

struct unsafe_call {
	const char *function; /* NULL: not found for certain; borrowed from the module */
	uint64_t address;     /* of the call, in the process that ran */
};

/* `address`, in the process that ran, is the return address of a call of libitm. Finds nothing unless exactly one
 * function is possible. */
struct unsafe_call unsafe_call_find(Dwfl_Module *module, uint64_t address);

#endif
