/* SPDX-License-Identifier: MIT
 *
 * The cost of push and pop on a shadow stack of frames, against the cheapest shadow stack: a thread-local array of
 * sites with a bounds check. Flat, nested as deep as a traceback, and with a capture in between, which is released
 * before the pop, or kept until the next capture.
 */
#include <stmlog/traceback.h>

#include "bench.h"

#define ARRAY_CAP 4096

/* Not static, because code in another file would read both for a traceback. */
extern __thread struct tb_site array[ARRAY_CAP];
extern __thread uint32_t array_len;
__thread struct tb_site array[ARRAY_CAP];
__thread uint32_t array_len;

static inline void array_push(struct tb_site site)
{
	if (STMLOG_UNLIKELY(array_len >= ARRAY_CAP))
		abort();
	array[array_len++] = site;
}

static inline void array_pop(void)
{
	if (STMLOG_UNLIKELY(array_len == 0))
		abort();
	array_len--;
}

static void frames_flat(uint64_t times, void *arg)
{
	struct tb_stack *stack = arg;
	for (uint64_t i = 0; i < times; i++) {
		tb_push(stack, TB_HERE());
		bench_barrier();
		tb_pop(stack);
		bench_barrier();
	}
}

static void frames_captured(uint64_t times, void *arg)
{
	struct tb_stack *stack = arg;
	for (uint64_t i = 0; i < times; i++) {
		tb_push(stack, TB_HERE());
		tb_unref(stack, bench_opaque(tb_capture(stack)));
		tb_pop(stack);
		bench_barrier();
	}
}

static void frames_kept(uint64_t times, void *arg)
{
	struct tb_stack *stack = arg;
	struct tb_frame *kept = TB_EMPTY;
	for (uint64_t i = 0; i < times; i++) {
		tb_push(stack, TB_HERE());
		struct tb_frame *traceback = bench_opaque(tb_capture(stack));
		tb_pop(stack);
		tb_unref(stack, kept);
		kept = traceback;
	}
	tb_unref(stack, kept);
}

static void array_flat(uint64_t times, void *arg)
{
	(void)arg;
	for (uint64_t i = 0; i < times; i++) {
		array_push(TB_HERE());
		bench_barrier();
		array_pop();
		bench_barrier();
	}
}

#define DEPTH 10

__attribute__((noinline)) static void frames_call(struct tb_stack *stack, int depth)
{
	tb_push(stack, TB_HERE());
	bench_barrier();
	if (depth > 1)
		frames_call(stack, depth - 1);
	bench_barrier();
	tb_pop(stack);
}

__attribute__((noinline)) static void array_call(void *stack, int depth)
{
	array_push(TB_HERE());
	bench_barrier();
	if (depth > 1)
		array_call(stack, depth - 1);
	bench_barrier();
	array_pop();
}

static void frames_nested(uint64_t times, void *arg)
{
	for (uint64_t i = 0; i < times; i += DEPTH)
		frames_call(arg, DEPTH);
}

static void array_nested(uint64_t times, void *arg)
{
	for (uint64_t i = 0; i < times; i += DEPTH)
		array_call(arg, DEPTH);
}

int main(void)
{
	struct tb_stack *stack = tb_stack_create(0);
	if (stack == NULL)
		return 1;
	bench_against("push+pop", (struct bench_side){"frames", frames_flat, stack},
		(struct bench_side){"array", array_flat, stack});
	bench_against("push+pop, in nested calls", (struct bench_side){"frames", frames_nested, stack},
		(struct bench_side){"array", array_nested, stack});
	bench_against("push+capture+unref+pop", (struct bench_side){"frames", frames_captured, stack},
		(struct bench_side){"array", array_flat, stack});
	bench_against("push+capture+pop, unref later", (struct bench_side){"frames", frames_kept, stack},
		(struct bench_side){"array", array_flat, stack});
	tb_stack_destroy(&stack);
	return 0;
}
