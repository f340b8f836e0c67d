/* SPDX-License-Identifier: MIT
 * Calls of libitm in machine code. */
#ifndef ITM_CALL_H
#define ITM_CALL_H

#include "code.h"

/* "beginTransaction" of "_ITM_beginTransaction"; NULL: the function is none of libitm's. Part of `function`. */
const char *itm_entry(const char *function);

/* The function of libitm whose call returns to `address`, as itm_entry() names it; NULL: there is no such call. */
const char *itm_call_before(const struct code *code, uint64_t address);

/* Whether that call is of a function that reads or writes a value at the address in its first argument. */
bool itm_accesses_before(const struct code *code, uint64_t address);

/* How many bytes a function of libitm reads or writes, by the end of its name; 0: not known. */
size_t itm_access_size(const char *entry);

/* Whether that call begins a transaction. */
bool itm_begins_before(const struct code *code, uint64_t address);

/* ---- the unsafe call ---- */

/* The call because of which a transaction of libitm became irrevocable, say of fprintf(), found in the machine code.
 * Two places lead to it: where the transaction asked for it during its run, by _ITM_changeTransactionMode(), directly
 * before that call; and where a transaction begins of which the compiler knew that it makes such a call. */

struct unsafe_call {
	const char *function; /* NULL: not found for certain; borrowed from the module */
	uint64_t address;     /* of the call, in the process that ran */
};

/* `address`, in the process that ran, is the return address of a call of libitm. Finds nothing unless exactly one
 * function is possible. */
struct unsafe_call unsafe_call_find(Dwfl_Module *module, uint64_t address);

#endif
