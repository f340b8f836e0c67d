/* SPDX-License-Identifier: MIT
 * A stack of calls that repairs itself when exits are missing. */
#include "call_stack.h"

/* Two stack pointers that lie farther apart belong to different stacks. */
#define ABOVE_FIRST ((uintptr_t)1 << 20)
#define BELOW_LAST ((uintptr_t)1 << 28)

size_t itm_calls_size(size_t cap)
{
	return sizeof(struct itm_calls) + cap * sizeof(struct itm_call);
}

struct itm_calls *itm_calls_init(void *memory, size_t cap, const struct native_module *outside)
{
	struct itm_calls *calls = memory;
	calls->cap = cap;
	calls->outside = outside;
	calls->begin_context = ITM_CALL_LOST; /* until a transaction has begun */
	return calls;
}

/* Whether the stack pointer is of another stack. Calls there are not followed: those of signal handlers with their own
 * stack, and of coroutines. */
static bool is_foreign(const struct itm_calls *calls, uintptr_t stack)
{
	if (calls->len == 0)
		return false;
	uintptr_t first = calls->calls[0].stack, last = calls->calls[calls->len - 1].stack;
	return (stack > first && stack - first > ABOVE_FIRST) || (stack < last && last - stack > BELOW_LAST);
}

static struct itm_call *last_of(struct itm_calls *calls)
{
	return &calls->calls[calls->len - 1];
}

/* Calls with a stack pointer below `stack` are over. */
static inline void drop_below(struct itm_calls *calls, uintptr_t stack)
{
	while (calls->len != 0 && last_of(calls)->stack < stack)
		calls->len--;
}

static void push(struct itm_calls *calls, uintptr_t stack, uintptr_t return_address, uintptr_t reported_at)
{
	if (calls->len == calls->cap)
		return;
	uint16_t context = calls->len == calls->cap - 1 ? ITM_CALL_LOST : ITM_CALL_NEW;
	calls->calls[calls->len++] = (struct itm_call){stack, return_address, reported_at, context, 0};
}

/* The last call's stack pointer and return address are reported again: by another function that was inlined in it; or
 * by the same function, called again after an exit that was missing. */
static void enter_again(struct itm_call *call, uintptr_t reported_at)
{
	if (call->reported_at == reported_at)
		call->inner = 0;
	else
		call->inner++;
}

void itm_calls_enter(struct itm_calls *calls, uintptr_t stack, uintptr_t return_address, uintptr_t reported_at)
{
	if (is_foreign(calls, stack))
		return;
	drop_below(calls, stack);
	if (calls->len != 0 && last_of(calls)->stack == stack) {
		if (last_of(calls)->return_address == return_address) {
			enter_again(last_of(calls), reported_at);
			return;
		}
		calls->len--;
	}
	push(calls, stack, return_address, reported_at);
}

/* The stack pointer may be lower than at the entry: the function has taken more stack since. But if the stack of calls
 * is full, it may also be the exit of a call further in, which was not kept. */
void itm_calls_exit(struct itm_calls *calls, uintptr_t stack, uintptr_t return_address, bool has_left)
{
	if (is_foreign(calls, stack))
		return;
	drop_below(calls, stack);
	if (has_left || calls->len == 0 || last_of(calls)->return_address != return_address)
		return;
	if (calls->len == calls->cap && last_of(calls)->stack != stack)
		return;
	if (last_of(calls)->inner != 0)
		last_of(calls)->inner--;
	else
		calls->len--;
}

/* ---- contexts ---- */

static uint16_t child(struct itm_contexts *contexts, uint16_t parent, uintptr_t return_address)
{
	if (parent == ITM_CALL_LOST)
		return ITM_CALL_LOST;
	uint32_t context = itm_context_child(contexts, parent, return_address);
	return context != 0 ? (uint16_t)context : ITM_CALL_LOST;
}

/* Looks up the last call. `outer` is the context of the callers of calls[floor]. */
static uint16_t look_up(struct itm_calls *calls, struct itm_contexts *contexts, size_t floor, uint16_t outer)
{
	size_t i = calls->len;
	while (i > floor && calls->calls[i - 1].context == ITM_CALL_NEW)
		i--;
	uint16_t context = i > floor ? calls->calls[i - 1].context : outer;
	if (i == 0 && i < calls->len && native_module_has(calls->outside, calls->calls[0].return_address))
		i++;
	for (; i < calls->len; i++) {
		context = child(contexts, context, calls->calls[i].return_address);
		calls->calls[i].context = context;
	}
	return context;
}

static uint32_t number_of(uint16_t context)
{
	return context != ITM_CALL_LOST ? context : 0;
}

uint32_t itm_calls_begin(struct itm_calls *calls, struct itm_contexts *contexts, uintptr_t stack, uintptr_t site)
{
	bool is_known = !is_foreign(calls, stack);
	if (is_known)
		drop_below(calls, stack);
	calls->begin_len = calls->len;
	calls->begin_inner = calls->len != 0 ? last_of(calls)->inner : 0;
	calls->begin_context = ITM_CALL_LOST;
	if (is_known && calls->len != 0)
		calls->begin_context = child(contexts, look_up(calls, contexts, 0, 0), site);
	return number_of(calls->begin_context);
}

void itm_calls_begin_as(struct itm_calls *calls, uint32_t context)
{
	calls->begin_context = context != 0 ? (uint16_t)context : ITM_CALL_LOST;
}

uint32_t itm_calls_restart(struct itm_calls *calls)
{
	calls->len = calls->begin_len;
	if (calls->len != 0)
		last_of(calls)->inner = calls->begin_inner;
	return number_of(calls->begin_context);
}

uint32_t itm_calls_context(struct itm_calls *calls, struct itm_contexts *contexts)
{
	return number_of(look_up(calls, contexts, calls->begin_len, calls->begin_context));
}
