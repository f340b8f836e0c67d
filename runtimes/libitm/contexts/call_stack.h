/* SPDX-License-Identifier: MIT
 *
 * The calls that a thread is in, as functions that were built with -finstrument-functions
 * tell it: each says when it is entered and left, and from where it was called. Exits may be
 * missing (longjmp, a transaction that begins anew) and functions that were not built so say
 * nothing; so each call is known by the stack pointer of its function as well: who is at a higher
 * one has left all that are below. What remains: a function that was left by longjmp() is still told
 * of within the next that is called in its place, if that takes more stack.
 *
 * A function that the compiler has put into another one says the same as that: stack
 * pointer and return address are the outer one's. It is no call, and is only counted; what
 * it was called is found with its line.
 *
 * Contexts (context_tree.h) are looked up when a transaction needs them, not before: most calls
 * are over when the next one begins.
 */
#ifndef ITM_CALL_STACK_H
#define ITM_CALL_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context_tree.h"
#include "loaded.h"

/* Calls that are not looked up yet, and those for which there is no context. */
#define ITM_CALL_NEW 0
#define ITM_CALL_LOST 0xffff

struct itm_call {
	uintptr_t stack; /* the function's stack pointer when it was entered */
	uintptr_t from;  /* its return address */
	uintptr_t at;    /* where in its code it says that it is entered */
	uint16_t context;
	uint16_t inner; /* functions within its frame that are entered */
};

/* Invariants:  stack pointers of calls[0 .. len) descend;
 *              a call that was looked up has callers that were;
 *              at most one call is of a depth that is not kept: the last of cap, and lost. */
struct itm_calls {
	size_t len;
	size_t cap;
	const struct native_module *outside; /* if the first call came from there, that is not told */
	size_t begin_len;                    /* what it was when the transaction began; all above are within it */
	uint16_t begin_inner;                /* of the call in which it began */
	uint16_t begin_context;              /* callers, and on top begin's return address */
	struct itm_call calls[];             /* cap of them */
};

/* How many bytes `cap` calls take, in zeroed memory. Requires: cap > 1. `outside` is borrowed for good. */
size_t itm_calls_size(size_t cap);
struct itm_calls *itm_calls_init(void *memory, size_t cap, const struct native_module *outside);

/* A function is entered or left: its stack pointer, and the address it returns to. `at`: where it says so.
 * `has_left`: its frame is gone already, and the stack pointer is its caller's. */
void itm_calls_enter(struct itm_calls *calls, uintptr_t stack, uintptr_t from, uintptr_t at);
void itm_calls_exit(struct itm_calls *calls, uintptr_t stack, uintptr_t from, bool has_left);

/* A transaction begins, called from `site`. Returns its context; 0: not known. */
uint32_t itm_calls_begin(struct itm_calls *calls, struct itm_contexts *contexts, uintptr_t stack, uintptr_t site);

/* What itm_calls_begin() would return, when it is known from elsewhere; 0: it is not. */
void itm_calls_begin_as(struct itm_calls *calls, uint32_t context);

/* It begins anew: whatever was called within it is over. Returns its context. */
uint32_t itm_calls_restart(struct itm_calls *calls);

/* The context of now, within a transaction. */
uint32_t itm_calls_context(struct itm_calls *calls, struct itm_contexts *contexts);

#endif
