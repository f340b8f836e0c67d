/* SPDX-License-Identifier: MIT
 *
 * The cost of a traceback: a capture, which takes one reference to the top frame, against a walk along the frame
 * pointers, which needs no pushes but costs time in proportion to the depth. (Unwinding by tables costs hundreds of
 * times more.)
 */
#include <stmlog/traceback.h>

#include "bench.h"
#include "frame_pointers.h"

#define DEPTH_MAX 64

struct place {
	struct tb_stack *stack;
	int depth;
	uint64_t times;
};

static void capture(uint64_t times, void *arg)
{
	struct tb_stack *stack = arg;
	for (uint64_t i = 0; i < times; i++) {
		struct tb_frame *traceback = bench_opaque(tb_capture(stack));
		tb_unref(stack, traceback);
		bench_barrier();
	}
}

WITH_FRAME_POINTER static void walk_often(const struct place *place)
{
	const void *addresses[DEPTH_MAX];
	for (uint64_t i = 0; i < place->times; i++) {
		if (frame_pointers_walk(__builtin_frame_address(0), addresses, place->depth) != place->depth)
			abort();
		bench_opaque(addresses);
	}
}

/* Goes `depth` calls deep before it walks; the empty statement keeps each call from becoming a jump. */
WITH_FRAME_POINTER static void descend(const struct place *place, int depth)
{
	if (depth > 1)
		descend(place, depth - 1);
	else
		walk_often(place);
	bench_barrier();
}

static void frame_pointers(uint64_t times, void *arg)
{
	struct place place = *(struct place *)arg;
	place.times = times;
	descend(&place, place.depth);
}

static int run(int depth)
{
	char what[32];
	struct place place = {.stack = tb_stack_create(0), .depth = depth};
	if (place.stack == NULL)
		return 1;
	for (int i = 0; i < depth; i++)
		tb_push(place.stack, TB_HERE());
	snprintf(what, sizeof what, "where am I, %d deep", depth);
	bench_against(what, (struct bench_side){"capture+unref", capture, place.stack},
		(struct bench_side){"frame pointers", frame_pointers, &place});
	tb_stack_destroy(&place.stack);
	return 0;
}

int main(void)
{
	return run(10) || run(50);
}
