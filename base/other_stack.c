/* SPDX-License-Identifier: MIT
 * The new stack begins below the two contexts, which are at the end of the memory: a context takes a kilobyte, and the
 * present stack may have little left. */
#include "other_stack.h"

#include <stdint.h>
#include <ucontext.h>

struct change {
	ucontext_t outside, inside;
	void (*function)(void *arg);
	void *arg;
} __attribute__((aligned(64)));

/* makecontext() passes arguments of type int only. */
static void enter(unsigned high, unsigned low)
{
	const struct change *change = (const struct change *)((uintptr_t)high << 32 | low);
	change->function(change->arg);
}

void other_stack_call(void *memory, size_t size, void (*function)(void *arg), void *arg)
{
	struct change *change = (struct change *)((char *)memory + size) - 1;
	if (getcontext(&change->inside) != 0) {
		function(arg);
		return;
	}
	change->function = function;
	change->arg = arg;
	change->inside.uc_stack.ss_sp = memory;
	change->inside.uc_stack.ss_size = size - sizeof *change;
	change->inside.uc_link = &change->outside;
	makecontext(&change->inside, (void (*)(void))enter, 2, (unsigned)((uintptr_t)change >> 32),
		(unsigned)(uintptr_t)change);
	swapcontext(&change->outside, &change->inside);
}
