/* SPDX-License-Identifier: MIT
 * Changes the stack by the C library's contexts. */
#include "own_stack.h"

#ifdef STMLOG_CHECKS
/* Sanitizers and debuggers follow one stack for each thread. */
void own_stack_run(void (*function)(void *arg), void *arg)
{
	function(arg);
}
#else
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* Valgrind has to be told of a stack. The requests are some idle instructions without it. */
#include <valgrind/valgrind.h>

#include "mem.h"

/* A context takes a kilobyte. So both lie beside the new stack, which grows down towards them. */
struct room {
	ucontext_t outside, inside;
	void (*function)(void *arg);
	void *arg;
	char stack[256 * 1024] __attribute__((aligned(64)));
};

/* makecontext() hands on numbers of type int only. */
static void enter(unsigned high, unsigned low)
{
	const struct room *room = (const struct room *)((uintptr_t)high << 32 | low);
	room->function(room->arg);
}

/* The program is built with a sanitizer: these follow one stack for each thread, and complain on stderr of others. Such
 * programs have large stacks. */
extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));

static bool has_sanitizer(void)
{
	return &__asan_init != NULL || &__tsan_init != NULL;
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
	unsigned id = VALGRIND_STACK_REGISTER(room->stack, room->stack + sizeof room->stack);
	swapcontext(&room->outside, &room->inside);
	VALGRIND_STACK_DEREGISTER(id);
}

void own_stack_run(void (*function)(void *arg), void *arg)
{
	struct room *room = has_sanitizer() ? NULL : mem_take(sizeof *room);
	if (room == NULL) {
		function(arg);
		return;
	}
	room->function = function;
	room->arg = arg;
	change(room);
	mem_give(room, sizeof *room);
}
#endif
