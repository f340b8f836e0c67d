/* SPDX-License-Identifier: MIT
 * Switches to another stack by makecontext() and swapcontext(). */
#include "own_stack.h"

#include <stdint.h>
#include <ucontext.h>

#include "checker.h"
#include "mem.h"

/* Both contexts lie below the new stack, because a context takes a kilobyte, and the present stack may have little
 * left. */
struct room {
	ucontext_t outside, inside;
	void (*function)(void *arg);
	void *arg;
	char stack[256 * 1024] __attribute__((aligned(64)));
};

/* makecontext() passes arguments of type int only. */
static void enter(unsigned high, unsigned low)
{
	const struct room *room = (const struct room *)((uintptr_t)high << 32 | low);
	room->function(room->arg);
}

static void change(struct room *room)
{
	if (getcontext(&room->inside) != 0) {
		room->function(room->arg);
		return;
	}
	room->inside.uc_stack.ss_sp = room->stack;
	room->inside.uc_stack.ss_size = sizeof room->stack;
	room->inside.uc_link = &room->outside;
	makecontext(
		&room->inside, (void (*)(void))enter, 2, (unsigned)((uintptr_t)room >> 32), (unsigned)(uintptr_t)room);
	swapcontext(&room->outside, &room->inside);
}

/* A checker would report a stack that belongs to no thread. Programs under a checker have large stacks, so there the
 * function runs on the present one. */
void own_stack_run(void (*function)(void *arg), void *arg)
{
	struct room *room = has_checker() ? NULL : mem_alloc(sizeof *room);
	if (room == NULL) {
		function(arg);
		return;
	}
	room->function = function;
	room->arg = arg;
	change(room);
	mem_free(room, sizeof *room);
}
