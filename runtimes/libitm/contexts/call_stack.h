/* SPDX-License-Identifier: MIT
 *
 * The calls that a thread is in. Functions built with -finstrument-functions report when they are entered and left, and
 * their return address. An exit may be missing (longjmp, a transaction that restarts), and functions that were built
 * otherwise report nothing. So each call is kept with the stack pointer of its function: when a function with a higher
 * stack pointer reports, all calls with lower ones are over. One error remains: a function that was left by longjmp()
 * still appears as a caller of the next function that is called in its place, if that one uses more stack.
 *
 * A function that was inlined reports the stack pointer and return address of the function around it. It is no call,
 * and only counted. Its name is found later, with the line.
 *
 * The numbers of contexts (context_tree.h) are looked up only when a transaction needs them: most calls are over when
 * the next transaction begins. Only the thread itself uses its stack of calls.
 */
#ifndef ITM_CALL_STACK_H
#define ITM_CALL_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context_tree.h"
#include "loaded.h"

/* The context of a call that is not looked up yet, and of a call for which no number is left. */
#define ITM_CALL_NEW 0
#define ITM_CALL_LOST 0xffff

struct itm_call {
	uintptr_t stack; /* the function's stack pointer when it was entered */
	uintptr_t return_address;
	uintptr_t reported_at; /* the code address from where it reports that it is entered */
	uint16_t context;
	uint16_t inner; /* how many functions inlined in it are entered */
};

/* Invariants:  stack pointers of calls[0 .. len) descend;
 *              if a call's context was looked up, its callers' were, too;
 *              a call at index cap - 1 has the context ITM_CALL_LOST: calls further in are not kept. */
struct itm_calls {
	size_t len;
	size_t cap;
	const struct native_module *outside; /* a first call from this module has no callers worth showing */
	size_t begin_len;        /* len when the transaction began; calls above it are within the transaction */
	uint16_t begin_inner;    /* `inner` of the call in which the transaction began, at that time */
	uint16_t begin_context;  /* the transaction's callers, with begin's return address on top */
	struct itm_call calls[]; /* [cap] */
};

/* The size in bytes for `cap` calls; cap > 1. Then makes an empty stack in zeroed memory of that size. `outside` is
 * borrowed, and must stay valid as long as the stack is used. */
size_t itm_calls_size(size_t cap);
struct itm_calls *itm_calls_init(void *memory, size_t cap, const struct native_module *outside);

/* A function reports that it is entered or left: its stack pointer `stack`, its return address, and the code
 * address from where it reports. `has_left`: its frame is gone already, and `stack` is its caller's stack pointer.
 */
void itm_calls_enter(struct itm_calls *calls, uintptr_t stack, uintptr_t return_address, uintptr_t reported_at);
void itm_calls_exit(struct itm_calls *calls, uintptr_t stack, uintptr_t return_address, bool has_left);

/* A transaction begins; `site` is begin's return address. Returns the transaction's context; 0: not known. */
uint32_t itm_calls_begin(struct itm_calls *calls, struct itm_contexts *contexts, uintptr_t stack, uintptr_t site);

/* Sets the context of the transaction that begins, when it was found by other means than itm_calls_begin(). 0: not
 * known. */
void itm_calls_begin_as(struct itm_calls *calls, uint32_t context);

/* The transaction restarts: all calls within it are over. Returns its context. */
uint32_t itm_calls_restart(struct itm_calls *calls);

/* The present context within the transaction under way. Outside of transactions it means nothing. */
uint32_t itm_calls_context(struct itm_calls *calls, struct itm_contexts *contexts);

#endif
